// Tests “Hand over to …”: somebody else gets a person's duties before the person leaves.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const NEXT_YEAR = { from: '2031-03-03T09:00:00Z', to: '2031-03-03T10:00:00Z' }
const LAST_YEAR = { from: '2021-03-03T09:00:00Z', to: '2021-03-03T10:00:00Z' }

describe('handing over the duties of a person', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let leaver: number
  let successor: number
  let building: number
  let desk: number

  beforeEach(async () => {
    const { database } = world
    await database('users').update({ name: 'Somebody else' })
    leaver = await createUser(database, { name: 'Lea Leaver' })
    successor = await createUser(database, { name: 'Sam Successor' })
    building = await createBuilding(database, { name: 'Harbour House' })
    const location_id = await createLocation(database, { building_id: building })
    desk = await createBookable(database, { location_id, name: 'Desk 1', status: 2 })
    await database('bookable_assignees').insert({ bookable_id: desk, user_id: leaver })
    const rules = JSON.stringify({ days_ahead_max: 14, approvers: { user_ids: [leaver], group_ids: [] } })
    await database('buildings').where({ id: building }).update({ rules })
  })

  const handOver = async () => {
    await browser.open(`/dashboard/people/${leaver}/hand-over?search=Sam`)
    await browser.submit('Hand over', {})
  }
  const organizerOf = async (id: number) =>
    Number((await world.database('events').where({ id }).first()).organizer_user_id)

  it('gives meetings, approvals and assigned desks to the successor, and then offers to deactivate the person', async () => {
    const next = await createEvent(world.database, {
      organizer_user_id: leaver,
      ...NEXT_YEAR,
      name: 'Budget',
    })
    const past = await createEvent(world.database, { organizer_user_id: leaver, ...LAST_YEAR })
    const cancelled = await createEvent(world.database, {
      organizer_user_id: leaver,
      ...NEXT_YEAR,
      status: 2,
    })
    const booking = await createBooking(world.database, { user_id: leaver, bookable_id: desk, ...NEXT_YEAR })
    await browser.open(`/dashboard/people/${leaver}/deactivate`)
    await browser.follow('Hand them over first')
    expect(browser.words).to.include('Budget').and.include('Harbour House').and.include('Desk 1')
    await handOver()
    expect(browser.words)
      .to.include(
        'Handed over to Sam Successor: 1 meeting, approvals of 1 place and 1 assigned desk or room.',
      )
      .and.include('Deactivate Lea Leaver?')
      .and.not.include('Hand them over first')
    expect(await organizerOf(next)).to.equal(successor)
    expect([await organizerOf(past), await organizerOf(cancelled)]).to.deep.equal([leaver, leaver])
    const { rules } = await world.database('buildings').where({ id: building }).first()
    expect(rules).to.deep.equal({
      days_ahead_max: 14,
      approvers: { user_ids: [successor], group_ids: [] },
    })
    const assignees = await world.database('bookable_assignees').where({ bookable_id: desk }).pluck('user_id')
    expect(assignees.map(Number)).to.deep.equal([successor])
    expect(Number((await world.database('bookings').where({ id: booking }).first()).user_id)).to.equal(leaver)
  })

  it('says that bookings stay with the person, and links to them', async () => {
    await createBooking(world.database, { user_id: leaver, bookable_id: desk, ...NEXT_YEAR })
    await createBooking(world.database, { user_id: leaver, bookable_id: desk, ...LAST_YEAR })
    await browser.open(`/dashboard/people/${leaver}/hand-over`)
    expect(browser.words).to.include(
      'Lea Leaver keeps 1 booking, even after being deactivated, until somebody releases it.',
    )
    await browser.follow('Show bookings')
    expect(browser.page.path).to.equal(`/dashboard/people/${leaver}`)
    expect(browser.words).to.include('Current and upcoming bookings')
    await browser.open(`/dashboard/people/${successor}/hand-over`)
    expect(browser.words).to.not.include('Show bookings')
  })

  it('does not offer the person themselves or people who have left as successors', async () => {
    await world.database('users').where({ id: successor }).update({ deactivated_at: new Date() })
    await browser.open(`/dashboard/people/${leaver}/hand-over?search=Leaver`)
    expect(browser.words).to.include('No active people found.')
    await browser.open(`/dashboard/people/${leaver}/hand-over?search=Sam`)
    expect(browser.words).to.include('No active people found.')
  })

  it('says if there is nothing to hand over', async () => {
    await browser.open(`/dashboard/people/${successor}/hand-over`)
    expect(browser.words).to.include('There is nothing to hand over.')
    await browser.open(`/dashboard/people/${successor}/deactivate`)
    expect(browser.words).to.not.include('Hand them over first')
  })
})
