// Many bookings at once: each for itself, or all or none.
import type { BatchItem } from '../../../shared/contracts/finding/booking-batches.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { describeRefusal } from './refused-bookings.ts'
import { createSeveral, refuseAny } from './several-bookings.ts'

export async function createBookingBatch(
  trx: Transaction,
  { bookings, atomic }: InputOf<'bookings.create-batch'>,
  context: WorkContext,
): Promise<ReplyOf<'bookings.create-batch'>> {
  const decisions = await createSeveral(trx, bookings, context)
  if (atomic) refuseAny(decisions)
  return { data: decisions.map(describe) }
}

function describe(decision: Awaited<ReturnType<typeof createSeveral>>[number]): BatchItem {
  if (!(decision instanceof Refusal)) return { status: 200, booking: decision }
  return { status: decision.status, ...describeRefusal(decision) }
}
