// Administrators move bookings to another bookable; the checks for a new booking there apply.
import { audit } from '../../../shared/audit/audit.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import { rawConnection } from '../../runtime/connection.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { ENDS_TOO_EARLY, refuseUnbookable } from '../claims/checks.ts'
import type { OpenSpan } from '../claims/conflicts.ts'
import { type BookingFacts, lockBookingFacts } from '../claims/facts.ts'
import { requireVersion } from '../kit/versions.ts'
import { changedCheckInWindow, checkInWindow } from '../rules/check-in-windows.ts'
import { withOverridden } from '../rules/overrides.ts'
import { finishBooking, lockBooking, lockClaimsOfBooking, type Present, refuseEnded } from './bookings.ts'
import { refuseBrokenRules } from './changed-rules.ts'
import { moveClaim } from './claims.ts'

type Input = InputOf<'bookings.move'>

/** Takes both locks together, in the order of the ids, so that two who swap desks wait for each other. */
export async function moveBooking(
  trx: Transaction,
  input: Input,
  context: WorkContext,
): Promise<JsonText<ReplyOf<'bookings.move'>>> {
  const { id, bookable_id } = input
  await lockClaimsOfBooking(trx, id, [bookable_id])
  const before = await lockBooking(trx, id, context)
  await requireVersion(trx, 'bookings', id, input.version)
  refuseEnded(before, context)
  const span = { from: input.from_time ?? before.from, to: input.to_time ?? before.to }
  const { user_id, vehicle_id } = before
  const subject = { bookable_id, user_id, user_vehicle_id: vehicle_id }
  const facts = onlyRow(await lockBookingFacts(await rawConnection(trx), [subject]))
  refuseInvalidMove(before, span, facts, context)
  if (facts.bookable) refuseUnbookable(facts.bookable)
  if (!facts.user) throw new Refusal('not_found', message`The person of this booking has been deactivated.`)
  const overridden = await refuseBrokenRules(trx, { input, before, span, facts }, context)
  const vehicle = facts.bookable?.isParkingSpot ? undefined : null
  const checkIn =
    bookable_id === before.bookable_id
      ? changedCheckInWindow(facts.rules, before, span, context.now)
      : checkInWindow(facts.rules, span, context.now)
  const target = { ...before, id, bookable_id, hasVehicle: vehicle_id !== null, now: context.now }
  const { row } = await moveClaim(trx, target, { span, vehicle, checkIn, now: context.now })
  const { former } = before
  const entry = { action: 'bookings.update', resource: 'bookings', resourceId: id, former } as const
  await audit(trx, context, { ...entry, before: before.row, after: withOverridden(row, overridden) })
  return finishBooking(trx, id, context)
}

// A claim stays shared (home office) or exclusive (everything else).
function refuseInvalidMove(
  { exclusive, vehicle_id }: Present,
  { from, to }: OpenSpan,
  { bookable }: BookingFacts,
  { now }: WorkContext,
) {
  if (!bookable) throw invalid({ bookable_id: [message`There is no bookable with this id.`] })
  if (bookable.isHomeOffice === exclusive) {
    throw invalid({
      bookable_id: [
        message`A home office cannot be swapped for a desk, room or parking spot, nor one of these for a home office.`,
      ],
    })
  }
  if (bookable.requiresVehicle && vehicle_id === null) {
    throw invalid({ bookable_id: [message`${bookable.name} can only be booked with a vehicle.`] })
  }
  if (to !== null && to <= from) throw invalid({ to_time: ENDS_TOO_EARLY })
  if (to !== null && to <= now)
    throw invalid({ to_time: [message`${field('to_time')} must be in the future.`] })
}
