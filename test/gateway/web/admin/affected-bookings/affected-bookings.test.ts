// Tests the pages that block, assign, delete or close a place: they first show the conflicting bookings, and
// let the administrator choose what happens to these bookings.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  createBookable,
  createBooking,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the affected bookings on the dashboard pages of places', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let location_id: number
  let desk: number
  let booking: number
  const future = { from: hoursFromNow(24), to: hoursFromNow(26) }

  beforeEach(async () => {
    location_id = await createLocation(world.database)
    desk = await createBookable(world.database, { location_id, name: 'Desk 12' })
    const user_id = await createUser(world.database, { name: 'Anna Berg' })
    booking = await createBooking(world.database, { bookable_id: desk, user_id, ...future })
    const organizer_user_id = await createUser(world.database, { name: 'Ben Roth' })
    const event_id = await createEvent(world.database, { name: 'Standup', organizer_user_id, ...future })
    const after = { from: future.to, to: hoursFromNow(27) }
    await createBooking(world.database, { bookable_id: desk, event_id, ...after })
  })

  const statusOf = async () => (await world.database('bookables').where({ id: desk }).first()).status
  const placeOf = async (id: number) => (await world.database('bookings').where({ id }).first())?.bookable_id
  const expectAsked = () => {
    expect(browser.words).to.include('2 conflicting bookings')
    expect(browser.words).to.include('Anna Berg').and.include('Standup (Ben Roth)')
    expect(browser.words).to.include('What should happen to these bookings?')
  }

  it('are shown before a bookable is blocked, and the form keeps its input', async () => {
    await browser.open(`/dashboard/places/bookables/${desk}`)
    expect(browser.words).not.to.include('conflicting booking')
    await browser.submit('Save changes', { name: 'Desk 13', status: '1' })
    expectAsked()
    expect(browser.page.text).to.include('value="Desk 13"')
    expect(await statusOf()).to.equal(0)
    const free = await createBookable(world.database, { location_id })
    await browser.submit('Save changes', { in_the_way: 'move' })
    expect(browser.words).to.include('Changes saved. Conflicting bookings were moved.')
    expect([await statusOf(), await placeOf(booking)]).to.deep.equal([1, free])
  })

  it('may stay on a blocked bookable if the administrator chooses this, and the form asks only once', async () => {
    await browser.open(`/dashboard/places/bookables/${desk}`)
    await browser.submit('Save changes', { status: '1' })
    await browser.submit('Save changes', { in_the_way: 'leave' })
    expect(browser.words).to.include('Changes saved.').and.not.include('conflicting booking')
    expect([await statusOf(), await placeOf(booking)]).to.deep.equal([1, desk])
    await browser.submit('Save changes', { name: 'Desk 13' })
    expect(browser.words).to.include('Changes saved.')
  })

  it('can be released if no other place is free for them', async () => {
    await browser.open(`/dashboard/places/bookables/${desk}`)
    await browser.submit('Save changes', { status: '1' })
    await browser.submit('Save changes', { in_the_way: 'move' })
    expect(browser.words).to.include('Nothing of the same type is free nearby for 2 bookings of Desk 12')
    expectAsked()
    await browser.submit('Save changes', { in_the_way: 'move-or-release' })
    expect(browser.words).to.include('Changes saved. Conflicting bookings were moved or released.')
    expect([await statusOf(), await placeOf(booking)]).to.deep.equal([1, undefined])
  })

  it('can be moved despite a rule with one checkbox, once the page has named the rule', async () => {
    const rules = JSON.stringify({ minutes_max: 30 })
    const free = await createBookable(world.database, { location_id, name: 'Desk 14', rules })
    await browser.open(`/dashboard/places/bookables/${desk}`)
    await browser.submit('Save changes', { status: '1' })
    await browser.submit('Save changes', { in_the_way: 'move' })
    expect(browser.words).to.include(
      'A rule forbids moving 2 bookings of Desk 12: Desk 14 can be booked for at most 30 minutes. Nothing was changed.',
    )
    await browser.submit('Save changes', { in_the_way: 'move', overrides_rules: 'true' })
    expect(browser.words).to.include('Changes saved. Conflicting bookings were moved.')
    expect(await placeOf(booking)).to.equal(free)
  })

  it('are shown on the page that confirms a deletion', async () => {
    await browser.open(`/dashboard/places/locations/${location_id}/delete-bookables?ids=${desk}`)
    expectAsked()
    await browser.submit('Delete it')
    expect(browser.words).to.include('Choose what should happen to these bookings.')
    await browser.submit('Delete it', { in_the_way: 'release' })
    expect(browser.words).to.include('Desk 12 deleted. Conflicting bookings were released.')
    expect(await placeOf(booking)).to.equal(undefined)
  })

  it('are shown before a bookable is assigned to somebody else', async () => {
    await createUser(world.database, { name: 'Cora Lind', email: 'cora.lind@example.com' })
    await browser.open(`/dashboard/places/bookables/${desk}/assign?search=cora.lind`)
    await browser.submit('Assign')
    expectAsked()
    expect(browser.words).to.include('Assign Desk 12 to Cora Lind?')
    await browser.submit('Assign to Cora Lind', { in_the_way: 'release' })
    expect(browser.words).to.include('Desk 12 is assigned to Cora Lind. Conflicting bookings were released.')
    expect([await statusOf(), await placeOf(booking)]).to.deep.equal([2, undefined])
  })

  it('are shown before a location is closed', async () => {
    const day = future.from.slice(0, 10)
    await browser.open(`/dashboard/places/locations/${location_id}/rules`)
    await browser.submit('Save rules', {
      'closed.from': day,
      'closed.to': '2099-01-01',
      'closed.reason': 'Moving',
    })
    expectAsked()
    await browser.submit('Save rules', { in_the_way: 'release' })
    expect(browser.words).to.include('Conflicting bookings were released.')
    expect(await placeOf(booking)).to.equal(undefined)
    await browser.submit('Save rules', { minutes_min: '15' })
    expect(browser.words).to.include('Rules saved.')
  })

  it('are limited to twenty in the list, which says how many more there are, and escapes names', async () => {
    const user_id = await createUser(world.database, { name: HOSTILE_TEXTS[0] })
    for (let number = 0; number < 21; number++) {
      const span = { from: hoursFromNow(number * 2 - 1), to: hoursFromNow(number * 2) }
      await createBooking(world.database, { bookable_id: desk, user_id, ...span, exclusive: false })
    }
    await browser.open(`/dashboard/places/locations/${location_id}/delete-bookables?ids=${desk}`)
    expect(browser.words)
      .to.match(/2[23] conflicting bookings/)
      .and.match(/And [23] more/)
    expect(browser.page.text).not.to.include(HOSTILE_TEXTS[0])
    expect(browser.page.text, 'the choice stays in view').to.include('<summary>Show all</summary>')
  })
})
