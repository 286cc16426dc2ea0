// Tests rules that count a user's bookings while many are created at the same moment, each in its own transaction.
import { expect } from 'chai'
import { observeStatements } from '../../../../shared/database/statements.ts'
import { runDelivery } from '../../../../workers/delivery/run.ts'
import { createBookable, createBooking, createDesk, hoursFromNow } from '../../../support/factories.ts'
import { createEnvelope, useTools } from '../../../support/faults/pipeline.ts'
import { useWorld } from '../../../support/world.ts'

const CONCURRENCY = 16
const ROUND_COUNT = 5

describe('rules that count the bookings of a user', () => {
  const statements = new Map<string, number>()
  let stop = () => undefined as unknown
  // Must run before the first connection is opened, because only later connections are observed.
  before(() => {
    stop = observeStatements(({ name = '' }) => {
      statements.set(name, (statements.get(name) ?? 0) + 1)
      return undefined
    })
  })
  after(() => stop())
  const world = useWorld({ workers: [] })
  const tools = useTools(world)

  /** Creates desks on a floor with these rules, and one person. */
  async function createFloor(rules: object) {
    const { location_id, user_id } = await createDesk(world.database)
    await world
      .database('locations')
      .where({ id: location_id })
      .update({ rules: JSON.stringify(rules) })
    const bookables = await Promise.all(
      Array.from({ length: CONCURRENCY }, () => createBookable(world.database, { location_id })),
    )
    return bookables.map((bookable_id) => ({ bookable_id, location_id, user_id }))
  }

  const deliver = (name: string, input: object) => {
    const envelope = createEnvelope(input)
    return runDelivery({ id: envelope.attempt, name, data: envelope }, tools)
  }
  const bookingsOf = (user_id: number) => world.database('bookings').where({ user_id })

  it('allow no more bookings than the limit, even if many requests arrive at the same time', async () => {
    for (let round = 0; round < ROUND_COUNT; round++) {
      const desks = await createFloor({ bookings_ahead_max: 3 })
      const slot = (number: number) => ({
        from_time: hoursFromNow(24 + number),
        to_time: hoursFromNow(25 + number),
      })
      await Promise.all(desks.map((desk, number) => deliver('bookings.create', { ...desk, ...slot(number) })))
      expect(await bookingsOf(desks[0]?.user_id ?? 0)).to.have.length(3)
    }
  })

  it('allow one desk at a time, even if many requests arrive at the same time', async () => {
    for (let round = 0; round < ROUND_COUNT; round++) {
      const desks = await createFloor({ one_at_a_time: true })
      const slot = { from_time: hoursFromNow(24), to_time: hoursFromNow(32) }
      await Promise.all(desks.map((desk) => deliver('bookings.create', { ...desk, ...slot })))
      expect(await bookingsOf(desks[0]?.user_id ?? 0)).to.have.length(1)
    }
  })

  it('allow one desk a day, even if many requests arrive at the same time, in a batch or in a series', async () => {
    const [DAY, HOUR] = [24 * 3_600_000, 3_600_000]
    const base = Math.ceil(Date.now() / DAY) * DAY + DAY
    const slot = (number: number) => ({
      from_time: new Date(base + number * HOUR).toISOString(),
      to_time: new Date(base + (number + 1) * HOUR).toISOString(),
    })
    for (let round = 0; round < ROUND_COUNT; round++) {
      const desks = await createFloor({ one_desk_a_day: true })
      const bookings = desks.map((desk, number) => ({ ...desk, ...slot(number) }))
      await Promise.all(bookings.map((booking) => deliver('bookings.create', booking)))
      expect(await bookingsOf(desks[0]?.user_id ?? 0)).to.have.length(1)
    }
    const desks = await createFloor({ one_desk_a_day: true })
    const bookings = desks.map((desk, number) => ({ ...desk, ...slot(number * 6) }))
    await deliver('bookings.create-batch', { bookings, atomic: false })
    // The sixteen bookings are on four days, four on each day.
    expect(await bookingsOf(desks[0]?.user_id ?? 0)).to.have.length(4)
    const series = { ...desks[0], ...slot(30), repeat: { every: 'day', count: 5 }, on_conflict: 'skip' }
    await deliver('series.create', series)
    // Three of the five days of the series are taken.
    expect(await bookingsOf(desks[0]?.user_id ?? 0)).to.have.length(6)
  })

  it('allow only one of the user’s bookings to move to the same time', async () => {
    for (let round = 0; round < ROUND_COUNT; round++) {
      const desks = await createFloor({ one_at_a_time: true })
      const ids = await Promise.all(
        desks.map(({ bookable_id, user_id }, number) =>
          createBooking(world.database, {
            bookable_id,
            user_id,
            from: hoursFromNow(48 + number),
            to: hoursFromNow(49 + number),
          }),
        ),
      )
      const slot = { from_time: hoursFromNow(24), to_time: hoursFromNow(25) }
      await Promise.all(ids.map((id) => deliver('bookings.update', { id, ...slot })))
      const moved = await bookingsOf(desks[0]?.user_id ?? 0).whereRaw('lower(during) = ?', [slot.from_time])
      expect(moved).to.have.length(1)
    }
  })

  it('count each booking of a series together with earlier successful bookings of the series', async () => {
    const [desk] = await createFloor({ bookings_ahead_max: 3 })
    if (!desk) throw new Error('There is no desk')
    // Another person has booked the second day.
    const taken = { from: hoursFromNow(48), to: hoursFromNow(49) }
    await createBooking(world.database, { bookable_id: desk.bookable_id, ...taken })
    const series = {
      ...desk,
      from_time: hoursFromNow(24),
      to_time: hoursFromNow(25),
      repeat: { every: 'day', count: 200 },
      on_conflict: 'skip',
    }
    statements.clear()
    await deliver('series.create', series)
    expect(statements.get('count-user-bookings')).to.equal(1)
    // The statement runs twice: without and with the booking that had a conflict.
    expect(statements.get('insert-bookings')).to.equal(2)
    const held = await bookingsOf(desk.user_id).select(
      world.database.raw('lower(during) AS starts'),
      'series_id',
    )
    const starts = held.map((each: { starts: string }) => new Date(each.starts).toISOString()).sort()
    expect(starts).to.deep.equal([24, 72, 96].map((hours) => new Date(hoursFromNow(hours)).toISOString()))
  })

  it('allow a batch to book its second desk if its first was taken, but no third', async () => {
    const [first, second, third] = await createFloor({ one_at_a_time: true })
    if (!first || !second || !third) throw new Error('There are no desks')
    const slot = { from: hoursFromNow(24), to: hoursFromNow(25) }
    await createBooking(world.database, { bookable_id: first.bookable_id, ...slot })
    const bookings = [first, second, third].map((desk) => ({
      ...desk,
      from_time: slot.from,
      to_time: slot.to,
    }))
    await deliver('bookings.create-batch', { bookings, atomic: false })
    const held = await bookingsOf(first.user_id)
    expect(held.map(({ bookable_id }: { bookable_id: number }) => bookable_id)).to.deep.equal([
      second.bookable_id,
    ])
  })
})
