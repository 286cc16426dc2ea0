// Checks whether a booking would be allowed: runs the handler that books, and undoes what it did.
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { constraintRefusal } from '../../runtime/constraints.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { singleWrite } from '../kit/single-write.ts'
import { createBookings } from './creations.ts'
import { describeRefusal } from './refused-bookings.ts'

const createBooking = singleWrite(createBookings)

export async function checkBooking(
  trx: Transaction,
  input: InputOf<'bookings.check'>,
  context: WorkContext,
): Promise<ReplyOf<'bookings.check'>> {
  const refusal = await undone(trx, (savepoint) => createBooking(savepoint, input, context))
  return { data: refusal ? { allowed: false, ...describeRefusal(refusal) } : { allowed: true } }
}

// Rolling back to the savepoint also frees the locks.
async function undone(
  trx: Transaction,
  work: (savepoint: Transaction) => Promise<unknown>,
): Promise<Refusal | undefined> {
  const savepoint = await trx.transaction()
  try {
    await work(savepoint)
    return undefined
  } catch (error) {
    const refusal = error instanceof Refusal ? error : constraintRefusal(error)
    if (!refusal) throw error
    return refusal
  } finally {
    await savepoint.rollback()
  }
}
