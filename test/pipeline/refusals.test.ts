// Tests that a refused write stores nothing except its answer.

import { expect } from 'chai'
import type { InputOf } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { perform } from '../../workers/runtime/perform.ts'
import type { Transaction } from '../../workers/runtime/write.ts'
import { createBookable, createBooking } from '../support/factories.ts'
import {
  countBookings,
  createEnvelope,
  createSlot,
  type NewBooking,
  useTools,
} from '../support/faults/pipeline.ts'
import { useWorld } from '../support/world.ts'

describe('a refused write', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)
  let slot: NewBooking

  beforeEach(async () => {
    slot = await createSlot(world)
  })

  const insert = async (trx: Transaction, input: InputOf<'bookings.create'>) => {
    const { bookable_id, user_id, from_time, to_time } = input
    const during = trx.raw('tstzrange(?, ?)', [String(from_time), to_time])
    await trx('bookings').insert({ bookable_id, user_id, during, exclusive: true })
  }
  const receipts = () => world.database('receipts').orderBy('created_at', 'desc').first()

  it('rolls back everything that the handler has written before the refusal', async () => {
    const envelope = createEnvelope(slot, { idempotency: { scope: 's', key: 'k', fingerprint: 'ab' } })
    const outcome = await perform<'bookings.create'>(tools.database, envelope, async ({ trx }, input) => {
      await insert(trx, input)
      throw new Refusal('bookable_blocked', message`It is blocked after all.`)
    })
    expect(outcome).to.include({ status: 409, refused: 'bookable_blocked' })
    expect(await countBookings(world, slot)).to.equal(0)
    expect((await receipts()).outcome).to.deep.equal(outcome)
    expect(await world.database('idempotency_keys').where({ key: 'k' })).to.have.length(1)
  })

  it('leaves no partial changes if a database constraint refuses the second half', async () => {
    const other = await createBookable(world.database, { location_id: slot.location_id })
    await createBooking(world.database, { bookable_id: other, from: slot.from_time, to: slot.to_time })
    const outcome = await perform<'bookings.create'>(
      tools.database,
      createEnvelope(slot),
      async ({ trx }, input) => {
        await insert(trx, input)
        await insert(trx, { ...input, bookable_id: other })
        throw new Error('It was not refused')
      },
    )
    expect(outcome).to.include({ status: 409, refused: 'booking_conflict' })
    expect(await countBookings(world, slot)).to.equal(0)
    expect((await receipts()).outcome).to.deep.equal(outcome)
  })

  it('leaves no rows behind, not even a receipt, if the handler fails', async () => {
    const before = await world.database('receipts')
    const failing = perform<'bookings.create'>(
      tools.database,
      createEnvelope(slot),
      async ({ trx }, input) => {
        await insert(trx, input)
        throw new TypeError('a bug')
      },
    )
    expect(await failing.catch((error: Error) => error.message)).to.equal('a bug')
    expect(await countBookings(world, slot)).to.equal(0)
    expect(await world.database('receipts')).to.have.length(before.length)
  })
})
