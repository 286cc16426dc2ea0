// Makes several bookings in one write, in the given order if they want the same bookable.
import type { WrittenBooking } from '../../../shared/bookings/bookings.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { parseJsonText } from '../../../shared/utilities/json-text.ts'
import { rawConnection } from '../../runtime/connection.ts'
import type { Transaction, WriteContext } from '../../runtime/context.ts'
import { lockClaims } from '../claims/locks.ts'
import { createBookings } from './creations.ts'

/** In the order of the inputs. Locks all claims first: retrying a claim would break the lock order. */
export async function createMany(
  trx: Transaction,
  inputs: Array<InputOf<'bookings.create'> & { series_id?: number }>,
  context: WriteContext,
): Promise<Array<WrittenBooking | Refusal>> {
  await lockClaims(
    trx,
    inputs.map(({ bookable_id }) => bookable_id),
  )
  const connection = await rawConnection(trx)
  const writes = inputs.map((input) => ({ input, context }))
  const facts = await createBookings.lockFacts(connection, writes)
  const open = writes.flatMap((write, index) => {
    const fact = facts[index]
    return fact ? [{ write, fact }] : []
  })
  const decisions = await createBookings.perform(connection, open)
  return decisions.map((decision) =>
    decision instanceof Refusal ? decision : parseJsonText(decision).data[0],
  )
}

/** Throws the first refusal, with its index. */
export function refuseAny(decisions: Array<WrittenBooking | Refusal>): WrittenBooking[] {
  return decisions.map((decision, index) => {
    if (!(decision instanceof Refusal)) return decision
    const { code, detail, errors, members } = decision
    throw new Refusal(code, detail, { errors, members: { ...members, index } })
  })
}
