// Check-in: users confirm that they are there. Without check-in in time, the rest is released:
// workers/pollers/check-ins/releases.ts.
import { audit } from '../../../shared/audit/audit.ts'
import { bookingDetailsRows, bookingDetailsText } from '../../../shared/bookings/bookings-shape.ts'
import { readFormer } from '../../../shared/changes/former.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { spanColumns } from '../../../shared/schemas/json.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { ReplyWithETag, type Transaction, type WorkContext } from '../../runtime/context.ts'
import { finishReply } from '../../runtime/finished-reply.ts'
import type { OpenSpan } from '../claims/conflicts.ts'
import { requireWithin } from '../kit/building-limits.ts'
import { CHECK_IN_STATE, type CheckInState, isLost } from '../rules/check-in-windows.ts'

/** SQL for the columns of a booking that check-in depends on. */
export const CHECK_IN_COLUMNS = `${spanColumns('bookings')}, ${CHECK_IN_STATE}`

export type CheckIn = OpenSpan & CheckInState

/** A repeated check-in gets the same answer. */
export async function checkInBooking(
  trx: Transaction,
  { id }: InputOf<'bookings.check-in'>,
  context: WorkContext,
): Promise<ReplyWithETag<ReplyOf<'bookings.check-in'>>> {
  const { before, ...booking } = await lockBooking(trx, id, context)
  if (!booking.isCheckedIn) {
    refuseCheckIn(booking, context.now)
    const former = await readFormer(trx, 'bookings', [id])
    const { rows } = await trx.raw(
      'UPDATE bookings SET checked_in_at = ?, updated_at = now() WHERE id = ? RETURNING to_jsonb(bookings) AS after',
      [context.now, id],
    )
    const { after } = onlyRow<{ after: unknown }>(rows)
    const change = { action: 'bookings.check-in', resource: 'bookings', resourceId: id, former } as const
    await audit(trx, context, { ...change, before, after })
  }
  const statement = (text: string) => `SELECT ${text} FROM ${bookingDetailsRows} WHERE bookings.id = ?`
  const { text } = await finishReply(trx, bookingDetailsText('?'), statement, [context.baseUrl, id])
  return new ReplyWithETag(text, etagOf(text))
}

export function refuseCheckIn(booking: CheckIn, now: string): void {
  refuseLost(booking, now)
  const { from, to, opensAt, zone } = booking
  if (to !== null && to <= now)
    throw new Refusal('booking_ended', message`The booking ended at ${{ at: to, zone }}.`)
  const opens = opensAt ?? from
  if (now >= opens) return
  throw new Refusal('check_in_too_early', message`Check-in opens at ${{ at: opens, zone }}.`)
}

/** A released booking cannot be recovered by checking in or changing it. */
export function refuseLost(booking: Pick<CheckIn, 'to'> & CheckInState, now: string): void {
  if (!isLost(booking, now)) return
  const { closesAt, to, zone } = booking
  const until = { at: closesAt ?? to ?? now, zone }
  throw new Refusal('booking_ended', message`Nobody checked in by ${until}: it was released.`)
}

async function lockBooking(
  trx: Transaction,
  id: number,
  context: WorkContext,
): Promise<CheckIn & { before: unknown }> {
  const { rows } = await trx.raw(
    `SELECT ${CHECK_IN_COLUMNS}, to_jsonb(bookings) AS before
     FROM bookings WHERE id = ? AND event_id IS NULL FOR UPDATE`,
    [id],
  )
  const [found] = rows
  const missing = message`There is no booking with this id.`
  if (!found) throw new Refusal('not_found', missing)
  await requireWithin(trx, context, 'bookings', id, missing)
  return found
}
