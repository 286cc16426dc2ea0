// Tests waiting for a desk on people's own pages: the position in the queue, offers on My day, and privacy.
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
const WANTED_SPAN = { from: hoursFromNow(24), to: hoursFromNow(32) }

describe('waiting for a place on people’s own pages', () => {
  const world = useWorld()

  async function createTaken() {
    const desk = await createDesk(world.database, { name: 'Bow' })
    const booking = await createBooking(world.database, { ...WANTED_SPAN, bookable_id: desk.bookable_id })
    return { ...desk, booking }
  }
  async function waitFor(path: Record<string, string | number>) {
    const user_id = await createUser(world.database)
    const browser = await signInAs(world, user_id)
    const query = { from: WANTED_SPAN.from, to: WANTED_SPAN.to, ...path }
    await browser.open(`/my/waits/new?${new URLSearchParams(query as Record<string, string>)}`)
    await browser.submit('Wait')
    return { user_id, browser }
  }
  const waitOf = (user_id: number) => world.database('waits').where({ user_id }).first()
  const free = async (id: number) => {
    await world.database('bookings').where({ id }).delete()
    await offerPlaces(world.database, log)
  }

  it('shows how many people are ahead without their names, and ends when the person gives up', async () => {
    const { bookable_id, location_id } = await createTaken()
    const first = await waitFor({ location: location_id, type: 0 })
    expect(first.browser.words).to.include('Any desk').and.include('You are first in line')
    const { user_id, browser } = await waitFor({ bookable: bookable_id })
    expect(browser.page.path).to.equal('/my/waits')
    expect(browser.words).to.include('Bow').and.include('1 person is ahead of you')
    await browser.submit('Stop waiting')
    expect(browser.words).to.include('You are not on any waitlist.')
    expect((await waitOf(user_id)).state).to.equal('cancelled')
  })

  it('ends with an explanation if the person has another desk that day and may have only one desk', async () => {
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
      .to.include('You are no longer waiting for Bow')
      .and.include('you have another booking on that day.')
    expect(await world.database('holds').where({ user_id })).to.deep.equal([])
  })

  it('is possible for a parking spot with a vehicle that the person chooses', async () => {
    const spot = await createDesk(world.database, { name: 'P 1', type: 1, requires_vehicle: true })
    await createBooking(world.database, { ...WANTED_SPAN, bookable_id: spot.bookable_id })
    const user_id = await createUser(world.database)
    const vehicle_id = await createVehicle(world.database, { user_id, license_plate: 'B-ER 2' })
    const browser = await signInAs(world, user_id)
    const query = {
      from: WANTED_SPAN.from,
      to: WANTED_SPAN.to,
      location: String(spot.location_id),
      type: '1',
    }
    await browser.open(`/my/waits/new?${new URLSearchParams(query)}`)
    expect(browser.words).to.include('B-ER 2')
    await browser.submit('Wait')
    expect(browser.words).to.include('Any parking spot')
    expect(await waitOf(user_id)).to.include({ vehicle_id })
  })

  it('shows an offer on My day, which the person accepts with one press', async () => {
    const { bookable_id, booking } = await createTaken()
    const { user_id, browser } = await waitFor({ bookable: bookable_id })
    await browser.open('/my')
    expect(browser.words).to.include('on the waitlist')
    await free(booking)
    const home = await createDesk(world.database, { type: 3, name: 'Home' })
    await createBooking(world.database, {
      ...WANTED_SPAN,
      user_id,
      bookable_id: home.bookable_id,
      exclusive: false,
    })
    await browser.open('/my')
    expect(browser.words).to.match(/You already have Home \(Floor \d+, Building \d+\) at that time\./)
    expect(browser.words)
      .to.include('A place is available for you')
      .and.match(/1[45] minutes left/)
    await browser.submit('Take it')
    expect(browser.words).to.match(/Bow \(Floor \d+, Building \d+\) is yours: .+\d\d:\d\d/)
    const [{ user_id: holder }] = await world.database('bookings').where({ bookable_id })
    expect(Number(holder)).to.equal(user_id)
  })

  it('offers the place to the next person in line if the person declines', async () => {
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
    expect(next.browser.words).to.include('A place is available for you')
  })

  it('shows when a place is free, but books nothing when a page is only opened', async () => {
    const { bookable_id } = await createDesk(world.database, { name: 'Stern' })
    const { user_id, browser } = await waitFor({ bookable: bookable_id })
    expect(browser.words).to.include('Stern is free at this time. Book it.')
    expect(await waitOf(user_id)).to.equal(undefined)
  })

  it('is refused if the time in the address ends before it begins', async () => {
    const { bookable_id } = await createTaken()
    const { browser } = await waitFor({ bookable: bookable_id })
    const times = 'from=2031-01-02T09:00:00Z&to=2031-01-01T09:00:00Z'
    await browser.open(`/my/waits/new?bookable=${bookable_id}&${times}`)
    expect(browser.page.status).to.equal(422)
    expect(browser.words).to.include('to must be after from.')
  })

  it('lets nobody accept, decline or end the entry of another person', async () => {
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
      expect(browser.words).to.include('You are no longer on this waitlist.')
    }
    expect((await waitOf(owner.user_id)).state).to.equal('offered')
  })
})
