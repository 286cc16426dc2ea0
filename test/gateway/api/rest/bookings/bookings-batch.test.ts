// Tests batches of bookings over HTTP.
import { expect } from 'chai'
import {
  createBookable,
  createBooking,
  createDesk,
  createLocation,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { expectNoDeadlock } from '../../../../support/faults/contention.ts'
import type { ApiAnswer } from '../../../../support/http/http.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const createTimes = (from: number, to: number) => ({
  from_time: hoursFromNow(from),
  to_time: hoursFromNow(to),
})
const toMicroseconds = (instant: string) => instant.replace('.000Z', '.000000Z')

describe('POST bookings/batch', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write')
  let desk: Awaited<ReturnType<typeof createDesk>>
  let other: number

  beforeEach(async () => {
    desk = await createDesk(world.database, { name: 'Desk 1' })
    other = await createBookable(world.database, { name: 'Desk 2', location_id: desk.location_id })
  })

  const book = (bookings: unknown[], more: Record<string, unknown> = {}) =>
    client.post('bookings/batch', { bookings, ...more })
  const held = (bookable_id: number) => world.database('bookings').where({ bookable_id }).orderBy('id')

  it('answers in the order of the items, and refuses an item for the same reasons as POST bookings', async () => {
    await createBooking(world.database, {
      bookable_id: other,
      from: hoursFromNow(24),
      to: hoursFromNow(25),
    })
    const { status, json } = await book([
      { ...desk, bookable_id: other, ...createTimes(24, 26) },
      { ...desk, ...createTimes(30, 31) },
      { ...desk, ...createTimes(32, 33), user_id: 999_999 },
      { ...desk, ...createTimes(20, 21), guest_name: 'A Guest' },
    ])
    expect(status).to.equal(200)
    const [taken, booked, unknown, guest] = json.data
    expect(taken).to.deep.equal({
      status: 409,
      code: 'booking_conflict',
      detail: taken.detail,
      conflict: {
        bookable_id: other,
        from: toMicroseconds(hoursFromNow(24)),
        to: toMicroseconds(hoursFromNow(25)),
      },
      alternatives: [{ id: desk.bookable_id, name: 'Desk 1' }],
    })
    expect(taken.detail).to.match(/^Desk 2 is taken/)
    expect(unknown).to.deep.equal({
      status: 422,
      code: 'validation_failed',
      detail: 'There is no active user with this id.',
      errors: { user_id: ['There is no active user with this id.'] },
    })
    const rows = await held(desk.bookable_id)
    expect(rows.map(({ id }) => id)).to.have.members([booked.booking.id, guest.booking.id])
    const listed = (await (await world.client('read')).get(`bookings/${booked.booking.id}`)).json.data
    const { id, from, to, livemap, user } = listed
    expect(booked).to.deep.include({ status: 200 })
    expect(booked.booking).to.deep.include({ id, from, to, livemap, user })
    const logged = await world.database('audit_log').where({ action: 'bookings.create', resource_id: id })
    expect(logged).to.have.length(1)
  })

  for (const [rule, code] of [
    ['one_at_a_time', 'already_booked'],
    ['one_desk_a_day', 'already_booked_that_day'],
  ] as const) {
    it(`counts its earlier items for the rule ${rule}, even in places without rules`, async () => {
      const location_id = await createLocation(world.database, { rules: JSON.stringify({ [rule]: true }) })
      const ruled = await createBookable(world.database, { location_id })
      const { json } = await book([
        { ...desk, ...createTimes(24, 25) },
        { ...desk, bookable_id: ruled, location_id, ...createTimes(24, 25) },
      ])
      expect(json.data.map((each: { code?: string }) => each.code)).to.deep.equal([undefined, code])
    })
  }

  it('checks its items against each other, and gives a contested time to the first item in the list', async () => {
    const { json } = await book([
      { ...desk, ...createTimes(26, 28) },
      { ...desk, ...createTimes(25, 27) },
      { ...desk, ...createTimes(28, 29) },
      { ...desk, bookable_id: other, ...createTimes(25, 27) },
    ])
    const statuses = json.data.map(({ status }: { status: number }) => status)
    expect(statuses).to.deep.equal([200, 409, 200, 200])
    expect(json.data[1].conflict).to.deep.include({ from: toMicroseconds(hoursFromNow(26)) })
    // The other desk is free before the batch, and an item of the batch books it.
    expect(json.data[1].alternatives).to.deep.equal([])
  })

  it('books all items or none if the batch is atomic, and names the refused item', async () => {
    const some = [
      { ...desk, ...createTimes(24, 26) },
      { ...desk, bookable_id: other, ...createTimes(24, 26) },
      { ...desk, ...createTimes(25, 27) },
    ]
    const refused = await book(some, { atomic: true })
    expect(refused.status).to.equal(409)
    expect(refused.json).to.include({ code: 'booking_conflict', index: 2 })
    expect(await held(desk.bookable_id)).to.deep.equal([])
    expect(await held(other)).to.deep.equal([])
    const all = await book(some.slice(0, 2), { atomic: true })
    expect(all.json.data.map(({ status }: { status: number }) => status)).to.deep.equal([200, 200])
  })

  it('runs once when it is repeated with the same idempotency key', async () => {
    const bookings = [{ ...desk, ...createTimes(24, 26) }]
    const ask = () => client.post('bookings/batch', { bookings }, { 'Idempotency-Key': 'batch' })
    const first = await ask()
    const repeat = await ask()
    expect(repeat.text).to.equal(first.text)
    expect(repeat.headers.get('Idempotency-Replayed')).to.equal('true')
    const without = await client.post(
      'bookings/batch',
      { bookings, atomic: true },
      { 'Idempotency-Key': 'batch' },
    )
    expect(without.json.code).to.equal('idempotency_key_reused')
  })

  it('refuses a malformed batch as a whole, and accepts at most 100 items', async () => {
    const good = { ...desk, ...createTimes(24, 25) }
    const wrong = await book([good, { ...good, to_time: hoursFromNow(23) }, 7])
    expect(wrong.status).to.equal(422)
    expect(wrong.json.errors).to.deep.equal({
      'bookings.1.to_time': ['bookings.1.to_time must be after from_time.'],
      'bookings.2': ['bookings.2 must be a JSON object.'],
    })
    expect((await book([])).json.errors).to.deep.equal({ bookings: ['bookings must not be empty.'] })
    expect((await book(Array(101).fill(good))).json.errors).to.deep.equal({
      bookings: ['bookings must have at most 100 items.'],
    })
    expect(await held(desk.bookable_id)).to.deep.equal([])
    const hundred = Array.from({ length: 100 }, (_, hour) => ({
      ...desk,
      ...createTimes(24 + hour, 25 + hour),
    }))
    const { json } = await book(hundred)
    expect(json.data.every(({ status }: { status: number }) => status === 200)).to.equal(true)
  })
})

describe('simultaneous batches of bookings', () => {
  const world = useWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world, 'booking-write')

  it('never deadlock or book a time twice, in opposite orders and alongside single bookings', async function many() {
    this.timeout(120_000)
    const DESKS = 40
    const taken = new Map<string, number>()
    await expectNoDeadlock(world, async () => {
      const first = await createDesk(world.database)
      const desks = [first.bookable_id]
      while (desks.length < DESKS)
        desks.push(await createBookable(world.database, { location_id: first.location_id }))
      for (let round = 0; round < 3; round++) {
        const of = (bookable_id: number) => ({
          ...first,
          bookable_id,
          ...createTimes(24 + round, 25 + round),
        })
        const orders = [
          desks,
          [...desks].reverse(),
          [...desks.slice(15), ...desks.slice(0, 15)],
          desks.slice(4),
        ]
        const answers = await Promise.all([
          ...[...orders, ...orders].map((order, index) =>
            post('bookings/batch', { bookings: order.map(of), atomic: index % 4 === 3 }),
          ),
          ...[...desks].reverse().map((bookable_id) => post('bookings', of(bookable_id))),
        ])
        for (const { status, json, text } of answers) {
          expect(status, text).to.be.oneOf([200, 409])
          const items = status === 200 ? json.data : []
          for (const { booking = items[0]?.livemap ? items[0] : undefined } of items) {
            if (!booking) continue
            const time = `${booking.bookable.id} ${booking.from}`
            taken.set(time, (taken.get(time) ?? 0) + 1)
          }
        }
      }
    })
    expect([...taken.values()].every((number) => number === 1)).to.equal(true)
    expect(taken.size).to.equal(3 * DESKS)
  })

  it('do not deadlock in opposite orders while another transaction makes both wait', async () => {
    const first = await createDesk(world.database)
    const desks = [first.bookable_id]
    while (desks.length < 5)
      desks.push(await createBookable(world.database, { location_id: first.location_id }))
    const bookings = desks.map((bookable_id) => ({ ...first, bookable_id, ...createTimes(24, 25) }))
    await expectNoDeadlock(world, async () => {
      const other = await world.database.transaction()
      await createBooking(other, {
        bookable_id: desks[2],
        user_id: first.user_id,
        from: hoursFromNow(24),
        to: hoursFromNow(25),
      })
      const answers = Promise.all([
        client.post('bookings/batch', { bookings }),
        client.post('bookings/batch', { bookings: [...bookings].reverse() }),
      ])
      await eventually(async () => expect(await waiting()).to.equal(2))
      await other.rollback()
      const statuses = (await answers).flatMap(({ json }) =>
        json.data.map(({ status }: { status: number }) => status),
      )
      expect(statuses.filter((status) => status === 200)).to.have.length(5)
      expect(statuses.filter((status) => status === 409)).to.have.length(5)
    })
  })

  /** Repeats a write that a busy machine refuses: 503 promises that nothing was changed. */
  async function post(path: string, body: object): Promise<ApiAnswer> {
    const answer = await client.post(path, body)
    return answer.status === 503 ? post(path, body) : answer
  }

  async function waiting(): Promise<number> {
    const { rows } = await world.database.raw(
      `SELECT count(*)::int AS number FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'berth-worker' AND wait_event_type = 'Lock'`,
    )
    return rows[0].number
  }
})
