// Handles the waitlist: a person joins or leaves it, and accepts or declines an offer.
// workers/pollers/holds/offering.ts decides who gets which offer.

import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { countedMessage, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import { addMinutes } from '../../../shared/utilities/date-times.ts'
import { SHORTEST_OFFERED_MINUTES, WAITLIST_ENTRIES_MAX } from '../../../shared/waits/waits.ts'
import type { AuditedRow, Handlers, Write } from '../../runtime/write.ts'
import { bookHold } from '../bookings/book-hold.ts'
import { findRefusal } from '../bookings/creations.ts'
import { lockMovedClaimFacts } from '../claims/facts.ts'
import { decideHolds, type Hold, lockHold } from '../claims/holds.ts'
import { AUDITED_WAITLIST_ENTRY, updateWaitlistEntries } from '../claims/waits.ts'
import { belongsToAnotherUser, refuseUnlessOwner } from '../rows/personal-tokens.ts'
import { createIdReply } from '../rows/rows.ts'
import { lockActiveUser } from '../users/lock-users.ts'

const WAIT_NOT_FOUND = message`You are no longer on this waitlist.`
const CHOOSE_VEHICLE_MESSAGE = message`Choose one of your vehicles: you cannot park here without one.`
const OFFER_OVER_MESSAGE = message`This offer has expired. The place has been offered to the next person in line.`
const OFFER_ACCEPTED_MESSAGE = message`You have already accepted this offer. The place is in your bookings.`
const OFFER_DECLINED_MESSAGE = message`You have already declined this offer.`

// The codes of refusals that may no longer apply when Berth makes an offer. All other refusals would still
// apply then.
const TEMPORARY_REFUSALS: RefusalCode[] = ['booking_conflict', 'bookable_blocked']
const PLACES_TRIED_MAX = 20

type NewWait = InputOf<'waits.create'>

export const waitlistHandlers: Handlers<`waits.${string}`> = {
  async 'waits.create'(write, input) {
    refuseUnlessOwner(write, input.user_id)
    if (input.to_time <= addMinutes(write.now, SHORTEST_OFFERED_MINUTES))
      throw invalidFields({ to_time: [message`This time is almost over.`] })
    await refuseIfBookable(write, input)
    const { id } = await lockActiveUser(write, input.user_id)
    await refuseTooManyWaits(write, input)
    const { bookable_id = null, user_vehicle_id = null, from_time, to_time } = input
    const { location_id = null, type = null } = bookable_id === null ? input : {}
    const wait = await write.only<AuditedRow>(
      `INSERT INTO waits (user_id, bookable_id, location_id, type, vehicle_id, during)
       VALUES (:id, CAST(:bookable_id AS bigint), CAST(:location_id AS bigint), CAST(:type AS smallint),
         CAST(:user_vehicle_id AS bigint), tstzrange(:from_time, :to_time)) RETURNING id, ${AUDITED_WAITLIST_ENTRY} AS row`,
      { id, bookable_id, location_id, type, user_vehicle_id, from_time, to_time },
    )
    await write.audit({ action: 'waits.create', id: wait.id, after: wait.row })
    return createIdReply(wait.id)
  },

  async 'waits.cancel'(write, { id }) {
    await requireOwnWait(write, id)
    if ((await cancelWaiting(write, id)) > 0) return null
    const offer = await lockOffer(write, id)
    if (offer?.state === 'approved') throw new Refusal('request_decided', OFFER_ACCEPTED_MESSAGE)
    if (offer?.state === 'pending') await decideHolds(write, [offer.id], { state: 'withdrawn', by: write })
    // Another write may have released the offer in the meantime. Then the person is waiting again, and this cancels the wait.
    else await cancelWaiting(write, id)
    return null
  },

  async 'waits.accept'(write, { id }) {
    const offer = await lockOpenOffer(write, id)
    const bookingId = await bookHold(write, offer, { is_approved: false })
    await decideHolds(write, [offer.id], { state: 'approved', bookingId, by: write })
    await endOtherWaits(write, offer)
    return null
  },

  async 'waits.decline'(write, { id }) {
    const offer = await lockOpenOffer(write, id)
    await decideHolds(write, [offer.id], { state: 'declined', by: write })
    return null
  },
}

/** Refuses a wait for a place that the person can book now, or that they are never allowed to book. */
async function refuseIfBookable(write: Write, input: NewWait): Promise<void> {
  const { user_id, user_vehicle_id, from_time, to_time } = input
  const wanted = { user_id, user_vehicle_id, from_time, to_time }
  const refusals: Refusal[] = []
  for (const { id, name } of await findMatchingPlaces(write, input)) {
    const refusal = await findRefusal(write, { bookable_id: id, ...wanted })
    if (!refusal) throw new Refusal('validation_failed', message`${name} is free at this time. Book it.`)
    refusals.push((await findLastingRefusal(write, id, wanted, refusal)) ?? refusal)
  }
  const [first] = refusals
  if (!first) throw new Refusal('not_found', message`There is no waitlist for this.`)
  if (!refusals.some(({ code }) => TEMPORARY_REFUSALS.includes(code))) throw first
}

/** Finds a refusal that would remain once the place is free again. The message is the same as for a refused booking. */
async function findLastingRefusal(
  write: Write,
  bookable_id: number,
  wanted: Pick<NewWait, 'user_id' | 'from_time' | 'to_time'>,
  { code, errors }: Refusal,
): Promise<Refusal | undefined> {
  if (errors?.user_vehicle_id) return invalidFields({ user_vehicle_id: [CHOOSE_VEHICLE_MESSAGE] })
  if (code !== 'bookable_blocked') return undefined
  const { rules } = await lockMovedClaimFacts(write, { bookable_id, user_id: wanted.user_id })
  return findBrokenRules(rules, { from: wanted.from_time, to: wanted.to_time }, write.now)[0]
}

type WaitPlace = { id: number; name: string }

/** Finds the bookables that match the wait. Free ones come first. */
function findMatchingPlaces(
  write: Write,
  { bookable_id = null, location_id = null, type = null, from_time, to_time }: NewWait,
) {
  return write.all<WaitPlace>(
    `SELECT id, name FROM bookables
     WHERE deleted_at IS NULL AND CASE WHEN CAST(:bookable_id AS bigint) IS NOT NULL THEN id = :bookable_id
       ELSE location_id = CAST(:location_id AS bigint) AND type = CAST(:type AS smallint) END
     ORDER BY EXISTS (SELECT FROM bookings WHERE bookings.bookable_id = bookables.id AND exclusive
       AND during && tstzrange(:from_time, :to_time)), id
     LIMIT ${PLACES_TRIED_MAX}`,
    { bookable_id, location_id, type, from_time, to_time },
  )
}

/** Limits the waitlist entries of a person. The row of the person must be locked. */
async function refuseTooManyWaits(write: Write, input: NewWait): Promise<void> {
  const { user_id, bookable_id = null, location_id = null, type = null, from_time, to_time } = input
  const { number, has } = await write.only<{ number: number; has: boolean }>(
    `SELECT count(*)::int AS number, coalesce(bool_or(during && tstzrange(:from_time, :to_time)
       AND CASE WHEN CAST(:bookable_id AS bigint) IS NOT NULL THEN bookable_id = :bookable_id
         ELSE location_id = CAST(:location_id AS bigint) AND type = CAST(:type AS smallint) END), false) AS has
     FROM waits WHERE user_id = :user_id AND ended_at IS NULL AND upper(during) > :now`,
    { user_id, bookable_id, location_id, type, from_time, to_time, now: write.now },
  )
  if (has) throw new Refusal('validation_failed', message`You are already on this waitlist.`)
  if (number >= WAITLIST_ENTRIES_MAX)
    throw new Refusal(
      'validation_failed',
      countedMessage(
        WAITLIST_ENTRIES_MAX,
        'You can be on # waitlist at a time. Leave it first.',
        'You can be on # waitlists at a time. Leave one of them first.',
      ),
    )
}

async function requireOwnWait(write: Write, id: number): Promise<void> {
  const { user_id } = await write.requireRow<{ user_id: number }>(
    'SELECT user_id FROM waits WHERE id = ?',
    [id],
    WAIT_NOT_FOUND,
  )
  if (belongsToAnotherUser(write, user_id)) throw new Refusal('not_found', WAIT_NOT_FOUND)
}

/** Cancels a waitlist entry that has no offer. Returns the number of changed entries. */
function cancelWaiting(write: Write, id: number): Promise<number> {
  const set = "state = 'cancelled', ended_at = now()"
  const where = "id = ? AND state = 'waiting'"
  return updateWaitlistEntries(write, { action: 'waits.cancel', set, where, values: [id] })
}

/** Locks the hold of an offer before its waitlist entry, in the order of docs/decisions/0005. */
async function lockOffer(write: Write, id: number): Promise<Hold | undefined> {
  const wait = await write.first<{ hold_id: number | null }>('SELECT hold_id FROM waits WHERE id = ?', [id])
  return wait?.hold_id == null ? undefined : lockHold(write, 'offer', wait.hold_id)
}

async function lockOpenOffer(write: Write, id: number): Promise<Hold> {
  await requireOwnWait(write, id)
  const offer = await lockOffer(write, id)
  if (offer?.state === 'pending' && offer.expiresAt > write.now) return offer
  if (offer?.state === 'approved') throw new Refusal('request_decided', OFFER_ACCEPTED_MESSAGE)
  throw new Refusal(
    'request_decided',
    offer?.state === 'declined' ? OFFER_DECLINED_MESSAGE : OFFER_OVER_MESSAGE,
  )
}

/** Ends other waits of the person for the same kind of bookable and the same time, because the person now has one. */
async function endOtherWaits(write: Write, { user_id, bookable_id, from, to }: Hold): Promise<void> {
  await updateWaitlistEntries(write, {
    action: 'waits.end',
    set: "state = 'over', ended_at = now()",
    where: `user_id = :user_id AND state = 'waiting' AND during && tstzrange(:from, :to)
       AND coalesce(type, (SELECT type FROM bookables WHERE bookables.id = waits.bookable_id))
         = (SELECT type FROM bookables WHERE bookables.id = :bookable_id)`,
    values: { user_id, bookable_id, from, to },
  })
}
