// Tests the steps of “Close for a time…”: the time, what should happen to the bookings, and the people to notify.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createClosedTimes,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const DAY = { from: '2031-03-03', to: '2031-03-04', reason: 'Repair' }
const SPAN = { from: '2031-03-03T09:00:00Z', to: '2031-03-03T16:00:00Z' }

describe('closing a place for a time', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let ids: { buildings: number; locations: number; bookables: number }

  beforeEach(async () => {
    const { database } = world
    const buildings = await createBuilding(database, { name: 'Harbour House', timezone: 'Europe/Berlin' })
    const locations = await createLocation(database, { building_id: buildings, name: 'Deck' })
    const bookables = await createBookable(database, { location_id: locations, name: 'Bow 1' })
    ids = { buildings, locations, bookables }
  })

  const open = (place: keyof typeof ids) => browser.open(`/dashboard/places/${place}/${ids[place]}/close`)
  const closedTimes = async (place: keyof typeof ids) =>
    (await world.database(place).where({ id: ids[place] }).first()).rules?.closed
  const createGuest = async () => {
    const user_id = await createUser(world.database, { name: 'Ada Lovelace' })
    return createBooking(world.database, { user_id, bookable_id: ids.bookables, ...SPAN })
  }

  it('first asks for the time, and closes whole days in the time zone of the building', async () => {
    for (const place of ['buildings', 'locations', 'bookables'] as const) {
      await open(place)
      expect(browser.words).to.include('1. When')
      await browser.submit('Next', DAY)
      expect(browser.words).to.include('There are no bookings at that time.')
      await browser.submit('Close', {})
      expect(browser.words).to.include('is closed at that time.')
      expect(await closedTimes(place)).to.deep.equal([
        { from: '2031-03-02T23:00:00.000000Z', to: '2031-03-04T23:00:00.000000Z', reason: 'Repair' },
      ])
    }
  })

  it('appears in the list of floors until it ends', async () => {
    const closed = [
      { from: '2021-01-01T00:00:00.000000Z', to: '2031-03-03T11:00:00.000000Z', reason: 'Water' },
    ]
    await world
      .database('locations')
      .where({ id: ids.locations })
      .update({ rules: JSON.stringify({ closed }) })
    await browser.open(`/dashboard/places/buildings/${ids.buildings}`)
    expect(browser.words).to.match(/Deck closed until .*12:00: Water/)
  })

  it('keeps earlier closed times and other rules', async () => {
    await open('buildings')
    await browser.submit('Next', { ...DAY, to: '', from_time: '10:00', to_time: '12:00' })
    await browser.submit('Close', {})
    await open('buildings')
    await browser.submit('Next', { ...DAY, from: '2031-04-01', to: '' })
    await browser.submit('Close', {})
    expect((await closedTimes('buildings')).map(({ from }: { from: string }) => from)).to.deep.equal([
      '2031-03-03T09:00:00.000000Z',
      '2031-03-31T22:00:00.000000Z',
    ])
  })

  it('shows the affected bookings before it closes anything, and then the people to notify', async () => {
    const booking = await createGuest()
    await open('locations')
    await browser.submit('Next', DAY)
    expect(browser.words).to.include('1 conflicting booking').and.include('Ada Lovelace')
    await browser.submit('Close', {})
    expect(browser.words)
      .to.include('1 conflicting booking')
      .and.include('Choose what should happen to these bookings.')
      .and.not.include('Nothing has been changed yet')
    expect(await closedTimes('locations')).to.equal(undefined)
    await browser.submit('Close', { in_the_way: 'release' })
    expect(await world.database('bookings').where({ id: booking })).to.deep.equal([])
    expect(await closedTimes('locations')).to.have.length(1)
    expect(browser.words).to.include('Deck is closed at that time.').and.include('Ada Lovelace')
    expect(browser.page.path).to.include('/bookings/affected/')
  })

  it('keeps the bookings if the administrator chooses that', async () => {
    const booking = await createGuest()
    await open('buildings')
    await browser.submit('Next', DAY)
    await browser.submit('Close', { in_the_way: 'leave' })
    expect(await closedTimes('buildings')).to.have.length(1)
    expect(await world.database('bookings').where({ id: booking })).to.have.length(1)
  })

  it('refuses a 51st closed time in both steps, and advises to delete past closed times', async () => {
    const refused = 'would have 51 closed times, but at most 50 are allowed. Delete past closed times first.'
    for (const place of ['buildings', 'locations', 'bookables'] as const) {
      const fill = () =>
        world
          .database(place)
          .where({ id: ids[place] })
          .update({ rules: JSON.stringify({ closed: createClosedTimes(50) }) })
      await open(place)
      await browser.submit('Next', DAY)
      await fill()
      expect((await browser.submit('Close', {})).status).to.equal(422)
      expect(browser.words).to.include(refused)
      await open(place)
      expect((await browser.submit('Next', DAY)).status).to.equal(422)
      expect(browser.words).to.include(refused)
      expect(await closedTimes(place)).to.have.length(50)
    }
  })

  it('asks again if the time is incomplete or ends before it begins', async () => {
    await open('buildings')
    await browser.submit('Next', { ...DAY, reason: '' })
    expect(browser.words).to.include('Reason is required.')
    await browser.submit('Next', { ...DAY, to: '2031-03-01' })
    expect(browser.words).to.include('must end after it begins.')
    await browser.open(`/dashboard/places/buildings/${ids.buildings}/close?from=yesterday&reason=x`)
    expect(browser.words).to.include('1. When')
  })
})
