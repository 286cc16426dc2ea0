// Tests bookings and events that exchange places simultaneously: they never overlap, deadlock or cause a 500.
import { expect } from 'chai'
import { createBookable, createBooking, createDesk, hoursFromNow } from '../support/factories.ts'
import { expectNoDeadlock } from '../support/faults/contention.ts'
import type { ApiAnswer } from '../support/http/http.ts'
import { isLong } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'

const ROUND_COUNT = isLong ? 25 : 8
const CLIENT_COUNT = 12

describe('bookings and events that exchange desks or rooms simultaneously', function () {
  this.timeout(120_000)
  const world = useWorld({
    workers: [],
    environment: {
      RATE_LIMIT_PER_MINUTE: '1000000',
      WRITES_CONCURRENCY: String(CLIENT_COUNT),
      DATABASE_CONNECTIONS_MAX: String(CLIENT_COUNT),
    },
  })
  const client = useClient(world, 'booking-write')
  let desk: Awaited<ReturnType<typeof createDesk>>

  beforeEach(async () => {
    desk = await createDesk(world.database, { type: 2 })
  })

  const hours = (from: number, to: number) => ({ from_time: hoursFromNow(from), to_time: hoursFromNow(to) })
  const book = (from: number, to: number) =>
    createBooking(world.database, { ...placed(desk), from: hoursFromNow(from), to: hoursFromNow(to) })
  const move = (id: number | undefined, from: number, to: number) =>
    client.patch(`bookings/${id}`, hours(from, to))
  const meet = (rooms: number[], from: number, to: number) =>
    client.post('events', { ...hours(from, to), ...meeting(rooms) })
  const meeting = (rooms: number[]) => ({
    name: 'Meeting',
    organizer_user_id: desk.user_id,
    attendees: rooms.map((id) => ({ type: 'bookable', id })),
  })
  const roomsOf = (event: ApiAnswer): number[] =>
    event.json.data.bookables.map(({ id }: { id: number }) => id)
  async function createRooms(count: number): Promise<number[]> {
    const room = { location_id: desk.location_id, type: 2 }
    const rooms = await Promise.all(Array.from({ length: count }, () => createBookable(world.database, room)))
    return rooms.sort((one, other) => one - other)
  }

  for (const size of [2, CLIENT_COUNT]) {
    it(`are all refused and unchanged if ${size} bookings each want the desk of the next one`, () =>
      expectNoDeadlock(world, async () => {
        for (let round = 0; round < ROUND_COUNT; round++) {
          const start = 24 + round * CLIENT_COUNT
          const ring: number[] = []
          for (let place = 0; place < size; place++) ring.push(await book(start + place, start + place + 1))
          const answers = await Promise.all(
            ring.map((id, place) => {
              const next = start + ((place + 1) % size)
              return move(id, next, next + 1)
            }),
          )
          expect(answers.map(({ json }) => json.code)).to.deep.equal(Array(size).fill('booking_conflict'))
        }
      }))
  }

  it('can exchange desks in two steps, in any order', () =>
    expectNoDeadlock(world, async () => {
      for (let round = 0; round < ROUND_COUNT; round++) {
        const start = 24 + round * 8
        const row = [
          await book(start, start + 1),
          await book(start + 1, start + 2),
          await book(start + 2, start + 3),
        ]
        const answers = await Promise.all(
          row.map((id, place) => move(id, start + place + 1, start + place + 2)),
        )
        const statuses = answers.map(({ status }) => status)
        expect(statuses.at(-1)).to.equal(200)
        for (const status of statuses) expect(status).to.be.oneOf([200, 409])
      }
    }))

  it('get a desk only once if many are created or moved there', () =>
    expectNoDeadlock(world, async () => {
      for (let round = 0; round < ROUND_COUNT; round++) {
        const start = 24 + round * 20
        const movers: number[] = []
        for (let place = 0; place < CLIENT_COUNT / 2; place++)
          movers.push(await book(start + 4 + place, start + 5 + place))
        const answers = await Promise.all([
          ...movers.map((id) => move(id, start, start + 2)),
          ...movers.map(() => client.post('bookings', { ...desk, ...hours(start + 1, start + 3) })),
        ])
        const statuses = answers.map(({ status }) => status).sort()
        expect(statuses).to.deep.equal([200, ...Array(CLIENT_COUNT - 1).fill(409)])
      }
    }))

  it('get all rooms or none, in whatever order the request names the rooms', () =>
    expectNoDeadlock(world, async () => {
      const rooms = await createRooms(5)
      for (let round = 0; round < ROUND_COUNT; round++) {
        const start = 24 + round * 4
        const answers = await Promise.all(
          Array.from({ length: CLIENT_COUNT }, (_, number) =>
            meet(number % 2 ? rooms : [...rooms].reverse(), start, start + 2),
          ),
        )
        const winners = answers.filter(({ status }) => status === 200)
        expect(answers.map(({ status }) => status).sort()).to.deep.equal([
          200,
          ...Array(CLIENT_COUNT - 1).fill(409),
        ])
        expect(roomsOf(winners[0] as ApiAnswer)).to.deep.equal(rooms)
      }
    }))

  it('never overlap if events exchange rooms that others are booking', () =>
    expectNoDeadlock(world, async () => {
      const [one, two] = (await createRooms(2)) as [number, number]
      for (let round = 0; round < ROUND_COUNT; round++) {
        const start = 24 + round * 4
        const [first, second] = await Promise.all([
          meet([one], start, start + 2),
          meet([two], start, start + 2),
        ])
        const answers = await Promise.all([
          replaceRooms(first, [two], start),
          replaceRooms(second, [one], start),
          ...[one, two].map((bookable_id) =>
            client.post('bookings', { ...desk, bookable_id, ...hours(start + 1, start + 3) }),
          ),
        ])
        expect(answers.map(({ status }) => status)).to.deep.equal(Array(4).fill(409))
      }
    }))

  function replaceRooms(event: ApiAnswer, rooms: number[], start: number) {
    return client.put(`events/${event.json.data.id}`, { ...hours(start, start + 2), ...meeting(rooms) })
  }

  function placed({ bookable_id, user_id }: { bookable_id: number; user_id: number }) {
    return { bookable_id, user_id }
  }
})
