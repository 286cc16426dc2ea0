// Rules that count a user's bookings, when many are made at the same moment, each in a transaction of its own.
import { expect } from 'chai'
import { run } from '../../../../workers/delivery/run.ts'
import { createBookable, createBooking, createDesk, hoursFromNow } from '../../../support/factories.ts'
import { envelopeOf, useTools } from '../../../support/faults/pipeline.ts'
import { useWorld } from '../../../support/world.ts'

const AT_ONCE = 16
const ROUNDS = 5

describe('rules that count the bookings of a user', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)

  /** So many desks on a floor with this rule, and one person. */
  async function createFloor(rules: object) {
    const { location_id, user_id } = await createDesk(world.database)
    await world
      .database('locations')
      .where({ id: location_id })
      .update({ rules: JSON.stringify(rules) })
    const bookables = await Promise.all(
      Array.from({ length: AT_ONCE }, () => createBookable(world.database, { location_id })),
    )
    return bookables.map((bookable_id) => ({ bookable_id, location_id, user_id }))
  }

  const deliver = (name: string, input: object) => {
    const envelope = envelopeOf(input)
    return run({ id: envelope.attempt, name, data: envelope }, tools)
  }
  const bookingsOf = (user_id: number) => world.database('bookings').where({ user_id })

  it('let no more through than there may be, however many come at once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const desks = await createFloor({ bookings_ahead_max: 3 })
      const slot = (number: number) => ({
        from_time: hoursFromNow(24 + number),
        to_time: hoursFromNow(25 + number),
      })
      await Promise.all(desks.map((desk, number) => deliver('bookings.create', { ...desk, ...slot(number) })))
      expect(await bookingsOf(desks[0]?.user_id ?? 0)).to.have.length(3)
    }
  })

  it('let one desk at a time through, however many come at once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const desks = await createFloor({ one_at_a_time: true })
      const slot = { from_time: hoursFromNow(24), to_time: hoursFromNow(32) }
      await Promise.all(desks.map((desk) => deliver('bookings.create', { ...desk, ...slot })))
      expect(await bookingsOf(desks[0]?.user_id ?? 0)).to.have.length(1)
    }
  })

  it('let only one of many be moved to the same time', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const desks = await createFloor({ one_at_a_time: true })
      const ids = await Promise.all(
        desks.map(({ bookable_id, user_id }, number) =>
          createBooking(world.database, {
            ...{ bookable_id, user_id },
            ...{ from: hoursFromNow(48 + number), to: hoursFromNow(49 + number) },
          }),
        ),
      )
      const slot = { from_time: hoursFromNow(24), to_time: hoursFromNow(25) }
      await Promise.all(ids.map((id) => deliver('bookings.update', { id, ...slot })))
      const moved = await bookingsOf(desks[0]?.user_id ?? 0).whereRaw('lower(during) = ?', [slot.from_time])
      expect(moved).to.have.length(1)
    }
  })
})
