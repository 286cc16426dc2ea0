// Creates, decides and withdraws booking requests. A request reserves its bookable for its time. Approving the request
// books the bookable in the same transaction, with all checks of a new booking. If several approvers decide at once,
// the first decision counts.

import {
  BOOKING_REQUEST_ROWS_SQL,
  bookingRequestTextFor,
  mayDecideSql,
} from '../../../shared/booking-requests/booking-requests-shape.ts'
import { findLapseTime } from '../../../shared/booking-requests/lapse.ts'
import { NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { bookHold } from '../bookings/book-hold.ts'
import { findRefusal, findRefusalOf } from '../bookings/creations.ts'
import { createContendedRefusal } from '../bookings/decide-bookings.ts'
import { refuseInvalidBooking } from '../claims/checks.ts'
import { lockMovedClaimFacts } from '../claims/facts.ts'
import { createHold, decideHolds, type Hold, lockHold } from '../claims/holds.ts'
import { belongsToAnotherUser, refuseUnlessOwner } from '../rows/personal-tokens.ts'
import { findIdsInTokenBuildings, requireInTokenBuildings } from '../rows/preconditions.ts'
import { findAbsenceRefusals } from '../rules/absences.ts'
import { lockUserBookings, throwUnlessOverridden } from '../rules/enforce-rules.ts'
import { refuseDecidedRequest } from './decided.ts'
import {
  createApprovedEvent,
  createEventOfHold,
  findRequestedAttendees,
  insertRequestedAttendees,
} from './requested-meetings.ts'

const PENDING_REQUESTS_MAX = 10
const REPLY = bookingRequestTextFor('CAST(:viewer AS bigint)')
const REQUEST_NOT_FOUND = message`There is no booking request with this id.`

export const bookingRequestHandlers: Handlers<`booking-requests.${string}`> = {
  async 'booking-requests.create'(write, input) {
    refuseUnlessOwner(write, input.user_id)
    const need = await requireApprovalNeeded(write, input)
    await refuseTooManyRequests(write, input.user_id)
    const times = { from: input.from_time ?? write.now, to: input.to_time }
    const attendees = need ? await findRequestedAttendees(write, input, need.bookable) : []
    const { title, invite: invites = false } = input
    const findWhyNot = () =>
      title && need
        ? findRefusalOf(write, (trial) =>
            createApprovedEvent(trial, {
              ...input,
              ...times,
              title,
              attendees,
              invites,
              description: input.booking_info,
              zone: need.rules.zone,
            }),
          )
        : findRefusal(write, { ...input, is_approved: true })
    if (title && need) refuseInvalidBooking(input, times, need, write.now)
    const refusal = await findWhyNot()
    if (refusal || !need) throw refusal ?? createContendedRefusal()
    const exclusive = !need.bookable.isHomeOffice
    const expiresAt = findLapseTime(times, need.rules, write.now)
    const id = await createHold(write, { ...input, ...times, kind: 'request', exclusive, invites, expiresAt })
    if (id === undefined) throw (await findWhyNot()) ?? createContendedRefusal()
    await insertRequestedAttendees(write, id, attendees)
    const after = await readRequestRow(write, id)
    await write.audit({ action: 'booking_requests.create', id, former: NEWLY_CREATED, after })
    return replyWithRequest(write, id)
  },

  async 'booking-requests.approve'(write, { id }) {
    const hold = await lockDecidableRequest(write, id)
    await decideHolds(write, [id], { state: 'approved', ...(await bookRequested(write, hold)), by: write })
    return replyWithRequest(write, id)
  },

  async 'booking-requests.decline'(write, { id, reason }) {
    await lockDecidableRequest(write, id)
    await decideHolds(write, [id], { state: 'declined', reason: reason ?? undefined, by: write })
    return replyWithRequest(write, id)
  },

  async 'booking-requests.withdraw'(write, { id }) {
    const hold = await lockRequest(write, id)
    if (belongsToAnotherUser(write, hold.user_id)) throw new Refusal('not_found', REQUEST_NOT_FOUND)
    await refuseDecidedRequest(write, hold)
    await decideHolds(write, [id], { state: 'withdrawn', by: write })
    return null
  },
}

/** Creates the event or the booking that is requested. Returns its id. */
async function bookRequested(write: Write, hold: Hold) {
  const { title } = hold
  if (title !== null) return { eventId: await createEventOfHold(write, { ...hold, title }) }
  // The write has no userId in this case, because the approver books for the requester.
  const options = { is_approved: true, is_for_other: belongsToAnotherUser(write, hold.user_id) }
  const bookingId = await bookHold({ ...write, userId: undefined }, hold, options)
  return { bookingId }
}

/**
 * Refuses a request if the booking needs no approval. Returns undefined if there is another reason to refuse the
 * booking, which its checks report.
 */
async function requireApprovalNeeded(write: Write, input: InputOf<'booking-requests.create'>) {
  const { bookable, user, vehicle, rules, away } = await lockMovedClaimFacts(write, input)
  const seen = await findIdsInTokenBuildings(await write.connection(), write, 'bookables', [
    input.bookable_id,
  ])
  if (!bookable || !user || (seen && !seen.has(input.bookable_id))) return undefined
  const span = { from: input.from_time ?? write.now, to: input.to_time }
  const isNeeded = findBrokenRules(rules, span, write.now).some(({ code }) => code === 'needs_approval')
  if (!isNeeded || !rules) throw createNoApprovalNeededRefusal(bookable.name)
  const isForGuest = Boolean(input.guest_name || input.guest_email)
  const absences = findAbsenceRefusals({ context: write, userId: input.user_id, span, away, isForGuest })
  throwUnlessOverridden(absences, input)
  return { bookable, user, rules, ...(vehicle && { vehicle }) }
}

// Limits the pending requests of a user, because each one reserves a bookable that nobody else can book in the
// meantime.
async function refuseTooManyRequests(write: Write, userId: number): Promise<void> {
  await lockUserBookings(await write.connection(), [userId])
  const { open } = await write.only<{ open: number }>(
    `SELECT count(*)::int AS open FROM holds WHERE user_id = ? AND kind = 'request' AND state = 'pending'`,
    [userId],
  )
  if (open < PENDING_REQUESTS_MAX) return
  const detail = message`A person can have at most ${PENDING_REQUESTS_MAX} requests waiting for a decision.`
  throw new Refusal('too_many_open_requests', detail)
}

const createNoApprovalNeededRefusal = (name: string) =>
  invalidFields({
    bookable_id: [message`This person can book ${name} without approval. Create a booking instead.`],
  })

async function lockRequest(write: Write, id: number): Promise<Hold> {
  const hold = await lockHold(write, 'request', id)
  if (!hold) throw new Refusal('not_found', REQUEST_NOT_FOUND)
  await requireInTokenBuildings(write, 'bookables', [hold.bookable_id], REQUEST_NOT_FOUND)
  return hold
}

async function lockDecidableRequest(write: Write, id: number): Promise<Hold> {
  const hold = await lockRequest(write, id)
  await refuseUnlessApprover(write, hold)
  await refuseDecidedRequest(write, hold)
  return hold
}

/**
 * Refuses unless the caller may decide the request. Administrators, and tokens that belong to no person, may always
 * decide.
 */
export async function refuseUnlessApprover(
  write: Write,
  { bookable_id, user_id }: Pick<Hold, 'bookable_id' | 'user_id'>,
): Promise<void> {
  const { userId } = write
  if (userId === undefined) return
  const { may } = await write.only<{ may: boolean }>(
    `SELECT ${mayDecideSql('CAST(:bookable_id AS bigint)', 'CAST(:userId AS bigint)')} AND EXISTS (
       SELECT FROM users WHERE id = :userId AND deactivated_at IS NULL) AS may`,
    { bookable_id, userId },
  )
  if (may) return
  if (userId !== user_id) throw new Refusal('not_found', REQUEST_NOT_FOUND)
  throw new Refusal('personal_token', message`Only approvers of this place can decide on the request.`)
}

const replyWithRequest = (write: Write, id: number) =>
  write.reply(REPLY, `${BOOKING_REQUEST_ROWS_SQL} WHERE booking_requests.id = :id`, {
    id,
    viewer: write.userId ?? null,
  })

async function readRequestRow(write: Write, id: number) {
  return (await write.only<{ row: unknown }>('SELECT to_jsonb(holds) AS row FROM holds WHERE id = ?', [id]))
    .row
}
