// Tests that “today” is the building's local day, also around midnight and when clocks change.
import { expect } from 'chai'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
} from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const MINUTE_MS = 60_000

describe('GET events/today by date', () => {
  const world = useWorld({
    workers: [],
    now: () => nowMs,
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
  })
  const client = useClient(world, 'read')
  let nowMs = 0

  async function createRoom(timezone: string) {
    const building_id = await createBuilding(world.database, { timezone })
    const location_id = await createLocation(world.database, { building_id })
    const bookable_id = await createBookable(world.database, { location_id, type: 2 })
    return { building_id, location_id, bookable_id }
  }

  async function meet(bookable_id: number, from: string, to: string) {
    const event_id = await createEvent(world.database, { name: `${from}/${to}`, from, to })
    await createBooking(world.database, { event_id, bookable_id, from, to })
  }

  const minutesAfter = (instant: string, minutes: number) =>
    new Date(Date.parse(instant) + minutes * MINUTE_MS).toISOString()

  for (const { timezone, day, midnight, next } of [
    { timezone: 'UTC', day: 'a day', midnight: '2026-11-20T00:00:00Z', next: '2026-11-21T00:00:00Z' },
    {
      timezone: 'Pacific/Auckland',
      day: 'a day of summer',
      midnight: '2026-11-19T11:00:00Z',
      next: '2026-11-20T11:00:00Z',
    },
    {
      timezone: 'America/Los_Angeles',
      day: 'a day of winter',
      midnight: '2026-11-20T08:00:00Z',
      next: '2026-11-21T08:00:00Z',
    },
    {
      timezone: 'Europe/Berlin',
      day: 'the day of 23 hours',
      midnight: '2026-03-28T23:00:00Z',
      next: '2026-03-29T22:00:00Z',
    },
    {
      timezone: 'Europe/Berlin',
      day: 'the day of 25 hours',
      midnight: '2026-10-24T22:00:00Z',
      next: '2026-10-25T23:00:00Z',
    },
    {
      // In Cairo, clocks go from 23:59 to 1:00.
      timezone: 'Africa/Cairo',
      day: 'the day without a midnight',
      midnight: '2026-04-23T22:00:00Z',
      next: '2026-04-24T21:00:00Z',
    },
    {
      // In Havana and on the Azores, clocks go back from 1:00 to midnight.
      timezone: 'America/Havana',
      day: 'the day with two midnights',
      midnight: '2026-11-01T04:00:00Z',
      next: '2026-11-02T05:00:00Z',
    },
    {
      timezone: 'Atlantic/Azores',
      day: 'the day before two midnights',
      midnight: '2026-10-24T00:00:00Z',
      next: '2026-10-25T00:00:00Z',
    },
    {
      timezone: 'Asia/Kathmandu',
      day: 'a day that begins at a quarter past',
      midnight: '2026-11-19T18:15:00Z',
      next: '2026-11-20T18:15:00Z',
    },
  ]) {
    it(`lists the events from midnight to midnight in ${timezone}, ${day}`, async () => {
      const room = await createRoom(timezone)
      const last = minutesAfter(midnight, -30)
      await meet(room.bookable_id, last, midnight)
      await meet(room.bookable_id, midnight, minutesAfter(midnight, 30))
      await meet(room.bookable_id, minutesAfter(next, -30), next)
      await meet(room.bookable_id, next, minutesAfter(next, 30))
      const today = [`${midnight}/${minutesAfter(midnight, 30)}`, `${minutesAfter(next, -30)}/${next}`]

      for (const [name, id] of Object.entries(room)) {
        const seen = async (at: string, minutes: number) => {
          nowMs = Date.parse(at) + minutes * MINUTE_MS
          const { data } = (await client.get(`events/today?${name}=${id}`)).json
          return data.map((event: { name: string }) => event.name)
        }
        expect(await seen(midnight, 0), 'at midnight').to.deep.equal(today)
        expect(await seen(midnight, 12 * 60), 'at noon').to.deep.equal(today)
        expect(await seen(next, -1 / 60_000), 'in the last millisecond').to.deep.equal(today)
        expect(await seen(midnight, -1 / 60_000), 'the day before').to.deep.equal([`${last}/${midnight}`])
        expect(await seen(next, 0), 'the day after').to.deep.equal([`${next}/${minutesAfter(next, 30)}`])
      }
    })
  }

  it('lists an event that spans several days on each of those days', async () => {
    const { building_id, bookable_id } = await createRoom('Pacific/Auckland')
    await meet(bookable_id, '2026-11-18T00:00:00Z', '2026-11-22T00:00:00Z')
    for (const at of ['2026-11-17T12:00:00Z', '2026-11-20T00:00:00Z', '2026-11-22T10:59:00Z']) {
      nowMs = Date.parse(at)
      expect((await client.get(`events/today?building_id=${building_id}`)).json.data, at).to.have.length(1)
    }
    nowMs = Date.parse('2026-11-22T11:00:00Z')
    expect((await client.get(`events/today?building_id=${building_id}`)).json.data).to.have.length(0)
  })

  it('uses the date of the requested building, even if the requested place is in another building', async () => {
    const west = await createRoom('America/Los_Angeles')
    const east = await createRoom('Pacific/Auckland')
    const from = '2026-11-20T10:00:00Z'
    const to = '2026-11-20T10:30:00Z'
    const event_id = await createEvent(world.database, { from, to })
    for (const { bookable_id } of [west, east])
      await createBooking(world.database, { event_id, bookable_id, from, to })
    // The local date in one building is still the 20th, and in the other already the 21st.
    nowMs = Date.parse('2026-11-20T20:00:00Z')
    const list = async (query: string) => (await client.get(`events/today?${query}`)).json.data
    expect(await list(`building_id=${west.building_id}&bookable_id=${east.bookable_id}`)).to.have.length(1)
    expect(await list(`building_id=${east.building_id}&bookable_id=${west.bookable_id}`)).to.have.length(0)
  })
})
