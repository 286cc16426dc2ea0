// Creates many bookings at once: either each independently, or all or none.
import type { BatchItem } from '../../../shared/bookings/booking-batches.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { describeRefusal } from './refused-bookings.ts'
import { createMany, refuseAny } from './several-bookings.ts'

export async function createBookingBatch(
  trx: Transaction,
  { bookings, atomic, needs_one }: InputOf<'bookings.create-batch'>,
  context: WorkContext,
): Promise<ReplyOf<'bookings.create-batch'>> {
  const decisions = await createMany(trx, bookings, context)
  if (atomic || (needs_one && decisions.every(isRefused))) refuseAny(decisions)
  return { data: decisions.map(describe) }
}

type Decision = Awaited<ReturnType<typeof createMany>>[number]

const isRefused = (decision: Decision): decision is Refusal => decision instanceof Refusal

function describe(decision: Decision): BatchItem {
  if (!isRefused(decision)) return { status: 200, booking: decision }
  return { status: decision.status, ...describeRefusal(decision) }
}
