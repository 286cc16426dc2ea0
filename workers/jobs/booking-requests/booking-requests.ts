// Booking requests: made, decided and withdrawn. A request holds its time; approving it books it in the same
// transaction, with all checks of a new booking. Of several who decide at once, the first one does.

import {
  bookingRequestRows,
  bookingRequestText,
  mayDecide,
} from '../../../shared/booking-requests/booking-requests-shape.ts'
import { findLapse } from '../../../shared/booking-requests/lapse.ts'
import { CREATED } from '../../../shared/changes/former.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { bookHold } from '../bookings/book-hold.ts'
import { findRefusal } from '../bookings/creations.ts'
import { beingTaken } from '../bookings/decide-bookings.ts'
import { lockFacts } from '../claims/facts.ts'
import { createHold, decideHolds, type Hold, lockHold } from '../claims/holds.ts'
import { isOfAnother, refuseForOthers } from '../rows/personal-tokens.ts'
import { requireInTokenBuildings } from '../rows/preconditions.ts'
import { lockUserBookings } from '../rules/enforce-rules.ts'
import { refuseDecided } from './decided.ts'

const OPEN_MAX = 10
const NO_REQUEST = message`There is no booking request with this id.`

export const bookingRequestHandlers: Handlers<`booking-requests.${string}`> = {
  async 'booking-requests.create'(write, input) {
    refuseForOthers(write, input.user_id)
    const need = await requireNeed(write, input)
    await refuseTooMany(write, input.user_id)
    const wanted = { ...input, is_approved: true }
    const refusal = await findRefusal(write, wanted)
    if (refusal || !need) throw refusal ?? beingTaken()
    const times = { from: input.from_time ?? write.now, to: input.to_time }
    const hold = { ...input, ...times, kind: 'request' as const, exclusive: !need.isHomeOffice }
    const id = await createHold(write, { ...hold, expiresAt: findLapse(times, need.rules, write.now) })
    if (id === undefined) throw (await findRefusal(write, wanted)) ?? beingTaken()
    const after = await readRow(write, id)
    await write.audit({ action: 'booking_requests.create', id, former: CREATED, after })
    return reply(write, id)
  },

  async 'booking-requests.approve'(write, { id }) {
    const hold = await lockDecidable(write, id)
    // The approver books for somebody else.
    const bookingId = await bookHold({ ...write, userId: undefined }, hold, { is_approved: true })
    await decideHolds(write, [id], { state: 'approved', bookingId, by: write })
    return reply(write, id)
  },

  async 'booking-requests.decline'(write, { id, reason }) {
    await lockDecidable(write, id)
    await decideHolds(write, [id], { state: 'declined', reason: reason ?? undefined, by: write })
    return reply(write, id)
  },

  async 'booking-requests.withdraw'(write, { id }) {
    const hold = await lockRequest(write, id)
    if (isOfAnother(write, hold.user_id)) throw new Refusal('not_found', NO_REQUEST)
    await refuseDecided(write, hold)
    await decideHolds(write, [id], { state: 'withdrawn', by: write })
    return null
  },
}

/** Refuses a request if a booking needs no approval. Returns undefined if the checks of a booking refuse the request anyway. */
async function requireNeed(write: Write, input: InputOf<'booking-requests.create'>) {
  const { bookable, user, rules } = await lockFacts(write, input)
  if (!bookable || !user) return undefined
  const span = { from: input.from_time ?? write.now, to: input.to_time }
  const isNeeded = findBrokenRules(rules, span, write.now).some(({ code }) => code === 'needs_approval')
  if (!isNeeded || !rules) throw needless(bookable.name)
  return { isHomeOffice: bookable.isHomeOffice, rules }
}

// Each holds a place that nobody else can book meanwhile.
async function refuseTooMany(write: Write, userId: number): Promise<void> {
  await lockUserBookings(await write.connection(), [userId])
  const { open } = await write.only<{ open: number }>(
    `SELECT count(*)::int AS open FROM holds WHERE user_id = ? AND kind = 'request' AND state = 'pending'`,
    [userId],
  )
  if (open < OPEN_MAX) return
  const detail = message`A person can have at most ${OPEN_MAX} requests that wait for a decision.`
  throw new Refusal('too_many_open_requests', detail)
}

const needless = (name: string) =>
  invalid({ bookable_id: [message`Bookings of ${name} by this person need no approval. Book it.`] })

async function lockRequest(write: Write, id: number): Promise<Hold> {
  const hold = await lockHold(write, 'request', id)
  if (!hold) throw new Refusal('not_found', NO_REQUEST)
  await requireInTokenBuildings(write, 'bookables', [hold.bookable_id], NO_REQUEST)
  return hold
}

async function lockDecidable(write: Write, id: number): Promise<Hold> {
  const hold = await lockRequest(write, id)
  await refuseUnlessApprover(write, hold)
  await refuseDecided(write, hold)
  return hold
}

/** Administrators may, and tokens of no person. */
async function refuseUnlessApprover(write: Write, { bookable_id, user_id }: Hold): Promise<void> {
  const { userId } = write
  if (userId === undefined) return
  const { may } = await write.only<{ may: boolean }>(
    `SELECT ${mayDecide('CAST(:bookable_id AS bigint)', 'CAST(:userId AS bigint)')} AND EXISTS (
       SELECT FROM users WHERE id = :userId AND deactivated_at IS NULL) AS may`,
    { bookable_id, userId },
  )
  if (may) return
  if (userId !== user_id) throw new Refusal('not_found', NO_REQUEST)
  throw new Refusal('personal_token', message`Only approvers of this place can decide the request.`)
}

const reply = (write: Write, id: number) =>
  write.reply(bookingRequestText, `${bookingRequestRows} WHERE booking_requests.id = ?`, [id])

async function readRow(write: Write, id: number) {
  return (await write.only<{ row: unknown }>('SELECT to_jsonb(holds) AS row FROM holds WHERE id = ?', [id]))
    .row
}
