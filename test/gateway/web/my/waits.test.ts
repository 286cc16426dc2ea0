// Waiting for a place on the own pages: the place in the line, an offer on My day, and what nobody else sees or does.
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { offerPlaces } from '../../../../workers/pollers/holds/offering.ts'
import {
  createBooking,
  createDesk,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const log = createLog('test', 'silent')
const SPAN = { from: hoursFromNow(24), to: hoursFromNow(32) }

describe('waiting on the own pages', () => {
  const world = useWorld()

  async function createTaken() {
    const desk = await createDesk(world.database, { name: 'Bow' })
    const booking = await createBooking(world.database, { ...SPAN, bookable_id: desk.bookable_id })
    return { ...desk, booking }
  }
  async function waitFor(path: Record<string, string | number>) {
    const user_id = await createUser(world.database)
    const browser = await signInAs(world, user_id)
    const query = { from: SPAN.from, to: SPAN.to, ...path }
    await browser.open(`/my/waits/new?${new URLSearchParams(query as Record<string, string>)}`)
    await browser.submit('Wait')
    return { user_id, browser }
  }
  const waitOf = (user_id: number) => world.database('waits').where({ user_id }).first()
  const free = async (id: number) => {
    await world.database('bookings').where({ id }).delete()
    await offerPlaces(world.database, log)
  }

  it('says how many people are ahead without naming them, and ends when the person gives up', async () => {
    const { bookable_id, location_id } = await createTaken()
    const first = await waitFor({ location: location_id, type: 0 })
    expect(first.browser.words).to.include('Any desk').and.include('You are first in line')
    const { user_id, browser } = await waitFor({ bookable: bookable_id })
    expect(browser.page.path).to.equal('/my/waits')
    expect(browser.words).to.include('Bow').and.include('1 person is before you')
    await browser.submit('Stop waiting')
    expect(browser.words).to.include('You are not on any waitlist.')
    expect((await waitOf(user_id)).state).to.equal('cancelled')
  })

  it('ends with an explanation when the person has another desk on that day and may have only one', async () => {
    const { bookable_id, location_id, booking } = await createTaken()
    const rules = JSON.stringify({ one_desk_a_day: true })
    const { user_id, browser } = await waitFor({ bookable: bookable_id })
    await world.database('locations').where({ id: location_id }).update({ rules })
    await createBooking(world.database, { from: hoursFromNow(33), to: hoursFromNow(34), user_id })
    await createBooking(world.database, { from: hoursFromNow(22), to: hoursFromNow(23), user_id })
    await free(booking)
    expect(await waitOf(user_id)).to.include({ state: 'over', end_reason: 'already_booked_that_day' })
    await browser.open('/my/waits')
    expect(browser.words)
      .to.include('You no longer wait for Bow')
      .and.include('you have another booking on that day.')
    expect(await world.database('holds').where({ user_id })).to.deep.equal([])
  })

  it('is for a parking spot with a vehicle that the person chooses', async () => {
    const spot = await createDesk(world.database, { name: 'P 1', type: 1, requires_vehicle: true })
    await createBooking(world.database, { ...SPAN, bookable_id: spot.bookable_id })
    const user_id = await createUser(world.database)
    const vehicle_id = await createVehicle(world.database, { user_id, license_plate: 'B-ER 2' })
    const browser = await signInAs(world, user_id)
    const query = { from: SPAN.from, to: SPAN.to, location: String(spot.location_id), type: '1' }
    await browser.open(`/my/waits/new?${new URLSearchParams(query)}`)
    expect(browser.words).to.include('B-ER 2')
    await browser.submit('Wait')
    expect(browser.words).to.include('Any parking spot')
    expect(await waitOf(user_id)).to.include({ vehicle_id })
  })

  it('shows an offer on My day, which books with one press', async () => {
    const { bookable_id, booking } = await createTaken()
    const { user_id, browser } = await waitFor({ bookable: bookable_id })
    await browser.open('/my')
    expect(browser.words).to.include('You wait for 1 place')
    await free(booking)
    const home = await createDesk(world.database, { type: 3, name: 'Home' })
    await createBooking(world.database, { ...SPAN, user_id, bookable_id: home.bookable_id, exclusive: false })
    await browser.open('/my')
    expect(browser.words).to.match(/You already have Home \(Floor \d+, Building \d+\) at that time\./)
    expect(browser.words)
      .to.include('A place is free for you')
      .and.match(/1[45] minutes left/)
    await browser.submit('Take it')
    expect(browser.words).to.match(/Bow \(Floor \d+, Building \d+\) is yours: .+\d\d:\d\d/)
    const [{ user_id: holder }] = await world.database('bookings').where({ bookable_id })
    expect(Number(holder)).to.equal(user_id)
  })

  it('gives the place to the next person in line when the person declines', async () => {
    const { bookable_id, booking } = await createTaken()
    const { user_id, browser } = await waitFor({ bookable: bookable_id })
    const next = await waitFor({ bookable: bookable_id })
    await free(booking)
    await browser.open('/my/waits')
    await browser.submit('No, thanks')
    expect(browser.words).to.match(/Bow \(.+, .+\) is offered to the next person in line/)
    expect((await waitOf(user_id)).state).to.equal('declined')
    await offerPlaces(world.database, log)
    await next.browser.open('/my/waits')
    expect(next.browser.words).to.include('A place is free for you')
  })

  it('says when something is free, and books nothing when a page is only opened', async () => {
    const { bookable_id } = await createDesk(world.database, { name: 'Stern' })
    const { user_id, browser } = await waitFor({ bookable: bookable_id })
    expect(browser.words).to.include('Stern is free at this time. Book it.')
    expect(await waitOf(user_id)).to.equal(undefined)
  })

  it('does not let anybody take, decline or end what belongs to somebody else', async () => {
    const theirs = await createTaken()
    const owner = await waitFor({ bookable: theirs.bookable_id })
    await free(theirs.booking)
    const { id } = await waitOf(owner.user_id)
    const mine = await createTaken()
    const { browser } = await waitFor({ bookable: mine.bookable_id })
    await free(mine.booking)
    for (const button of ['Take it', 'No, thanks']) {
      await browser.open('/my/waits')
      await browser.submit(button, { id: String(id) })
      expect(browser.words).to.include('You do not wait for this any more.')
    }
    expect((await waitOf(owner.user_id)).state).to.equal('offered')
  })
})
