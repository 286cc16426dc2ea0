// The waitlist: a person waits, gives up, takes what is offered or leaves it to the next. Who is offered what is decided by
// workers/pollers/holds/offering.ts.

import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { counted, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import { addMinutes } from '../../../shared/utilities/date-times.ts'
import { SHORTEST_OFFERED_MINUTES, WAITS_MAX } from '../../../shared/waits/waits.ts'
import type { AuditedRow, Handlers, Write } from '../../runtime/write.ts'
import { bookHold } from '../bookings/book-hold.ts'
import { findRefusal } from '../bookings/creations.ts'
import { lockFacts } from '../claims/facts.ts'
import { decideHolds, type Hold, lockHold } from '../claims/holds.ts'
import { AUDITED_WAIT, changeWaits } from '../claims/waits.ts'
import { isOfAnother, refuseForOthers } from '../rows/personal-tokens.ts'
import { idReply } from '../rows/rows.ts'
import { lockActiveUser } from '../users/lock-users.ts'

const NO_WAIT = message`You do not wait for this any more.`
const CHOOSE_VEHICLE = message`Choose one of your vehicles: you cannot park here without one.`
const OFFER_IS_OVER = message`This offer is over. The place has been offered to the next in the line.`
const TAKEN = message`You have already taken this offer. The place is in your bookings.`
const DECLINED = message`You have already declined this offer.`

// What may change until then. Other refusals would meet the offer too.
const PASSING: RefusalCode[] = ['booking_conflict', 'bookable_blocked']
const TRIED_MAX = 20

type NewWait = InputOf<'waits.create'>

export const waitHandlers: Handlers<`waits.${string}`> = {
  async 'waits.create'(write, input) {
    refuseForOthers(write, input.user_id)
    if (input.to_time <= addMinutes(write.now, SHORTEST_OFFERED_MINUTES))
      throw invalid({ to_time: [message`This time is almost over.`] })
    await refuseUnlessTaken(write, input)
    const { id } = await lockActiveUser(write, input.user_id)
    await refuseTooMany(write, input)
    const { bookable_id = null, user_vehicle_id = null, from_time, to_time } = input
    const { location_id = null, type = null } = bookable_id === null ? input : {}
    const wait = await write.only<AuditedRow>(
      `INSERT INTO waits (user_id, bookable_id, location_id, type, vehicle_id, during)
       VALUES (:id, CAST(:bookable_id AS bigint), CAST(:location_id AS bigint), CAST(:type AS smallint),
         CAST(:user_vehicle_id AS bigint), tstzrange(:from_time, :to_time)) RETURNING id, ${AUDITED_WAIT} AS row`,
      { id, bookable_id, location_id, type, user_vehicle_id, from_time, to_time },
    )
    await write.audit({ action: 'waits.create', id: wait.id, after: wait.row })
    return idReply(wait.id)
  },

  async 'waits.cancel'(write, { id }) {
    await requireOwnWait(write, id)
    const set = "state = 'cancelled', ended_at = now()"
    const where = "id = ? AND state = 'waiting'"
    if ((await changeWaits(write, { action: 'waits.cancel', set, where, values: [id] })) > 0) return null
    const offer = await lockOffer(write, id)
    if (offer?.state === 'approved') throw new Refusal('request_decided', TAKEN)
    if (offer?.state === 'pending') await decideHolds(write, [offer.id], { state: 'withdrawn', by: write })
    return null
  },

  async 'waits.accept'(write, { id }) {
    const offer = await lockOpenOffer(write, id)
    const bookingId = await bookHold(write, offer, { is_approved: false })
    await decideHolds(write, [offer.id], { state: 'approved', bookingId, by: write })
    await endOthers(write, offer)
    return null
  },

  async 'waits.decline'(write, { id }) {
    const offer = await lockOpenOffer(write, id)
    await decideHolds(write, [offer.id], { state: 'declined', by: write })
    return null
  },
}

/** Something that the person can book now needs no waiting, and what they may not book is never offered. */
async function refuseUnlessTaken(write: Write, input: NewWait): Promise<void> {
  const { user_id, user_vehicle_id, from_time, to_time } = input
  const wanted = { user_id, user_vehicle_id, from_time, to_time }
  const refusals: Refusal[] = []
  for (const { id, location_id, name } of await findPlaces(write, input)) {
    const refusal = await findRefusal(write, { bookable_id: id, location_id, ...wanted })
    if (!refusal) throw new Refusal('validation_failed', message`${name} is free at this time. Book it.`)
    refusals.push((await findLasting(write, id, wanted, refusal)) ?? refusal)
  }
  const [first] = refusals
  if (!first) throw new Refusal('not_found', message`There is nothing like this to wait for.`)
  if (!refusals.some(({ code }) => PASSING.includes(code))) throw first
}

/** What a blocked place would refuse too once it is free, and what a booking says in the words of programs. */
async function findLasting(
  write: Write,
  bookable_id: number,
  wanted: Pick<NewWait, 'user_id' | 'from_time' | 'to_time'>,
  { code, errors }: Refusal,
): Promise<Refusal | undefined> {
  if (errors?.user_vehicle_id) return invalid({ user_vehicle_id: [CHOOSE_VEHICLE] })
  if (code !== 'bookable_blocked') return undefined
  const { rules } = await lockFacts(write, { bookable_id, user_id: wanted.user_id })
  return findBrokenRules(rules, { from: wanted.from_time, to: wanted.to_time }, write.now)[0]
}

type Place = { id: number; location_id: number; name: string }

/** Those that are free come first. */
function findPlaces(
  write: Write,
  { bookable_id = null, location_id = null, type = null, from_time, to_time }: NewWait,
) {
  return write.all<Place>(
    `SELECT id, location_id, name FROM bookables
     WHERE deleted_at IS NULL AND CASE WHEN CAST(:bookable_id AS bigint) IS NOT NULL THEN id = :bookable_id
       ELSE location_id = CAST(:location_id AS bigint) AND type = CAST(:type AS smallint) END
     ORDER BY EXISTS (SELECT FROM bookings WHERE bookings.bookable_id = bookables.id AND exclusive
       AND during && tstzrange(:from_time, :to_time)), id
     LIMIT ${TRIED_MAX}`,
    { bookable_id, location_id, type, from_time, to_time },
  )
}

/** The row of the person is locked. */
async function refuseTooMany(write: Write, input: NewWait): Promise<void> {
  const { user_id, bookable_id = null, location_id = null, type = null, from_time, to_time } = input
  const { number, has } = await write.only<{ number: number; has: boolean }>(
    `SELECT count(*)::int AS number, coalesce(bool_or(during && tstzrange(:from_time, :to_time)
       AND CASE WHEN CAST(:bookable_id AS bigint) IS NOT NULL THEN bookable_id = :bookable_id
         ELSE location_id = CAST(:location_id AS bigint) AND type = CAST(:type AS smallint) END), false) AS has
     FROM waits WHERE user_id = :user_id AND ended_at IS NULL AND upper(during) > :now`,
    { user_id, bookable_id, location_id, type, from_time, to_time, now: write.now },
  )
  if (has) throw new Refusal('validation_failed', message`You wait for this already.`)
  if (number >= WAITS_MAX)
    throw new Refusal(
      'validation_failed',
      counted(
        WAITS_MAX,
        'You can wait for # place at a time. Give up one of them first.',
        'You can wait for # places at a time. Give up one of them first.',
      ),
    )
}

async function requireOwnWait(write: Write, id: number): Promise<void> {
  const { user_id } = await write.requireRow<{ user_id: number }>(
    'SELECT user_id FROM waits WHERE id = ?',
    [id],
    NO_WAIT,
  )
  if (isOfAnother(write, user_id)) throw new Refusal('not_found', NO_WAIT)
}

/** The hold is locked before the wait: docs/decisions/0005. */
async function lockOffer(write: Write, id: number): Promise<Hold | undefined> {
  const wait = await write.first<{ hold_id: number | null }>('SELECT hold_id FROM waits WHERE id = ?', [id])
  return wait?.hold_id == null ? undefined : lockHold(write, 'offer', wait.hold_id)
}

async function lockOpenOffer(write: Write, id: number): Promise<Hold> {
  await requireOwnWait(write, id)
  const offer = await lockOffer(write, id)
  if (offer?.state === 'pending' && offer.expiresAt > write.now) return offer
  if (offer?.state === 'approved') throw new Refusal('request_decided', TAKEN)
  throw new Refusal('request_decided', offer?.state === 'declined' ? DECLINED : OFFER_IS_OVER)
}

/** Who has a place needs no second one of the kind at the same time. */
async function endOthers(write: Write, { user_id, bookable_id, from, to }: Hold): Promise<void> {
  await changeWaits(write, {
    action: 'waits.end',
    set: "state = 'over', ended_at = now()",
    where: `user_id = :user_id AND state = 'waiting' AND during && tstzrange(:from, :to)
       AND coalesce(type, (SELECT type FROM bookables WHERE bookables.id = waits.bookable_id))
         = (SELECT type FROM bookables WHERE bookables.id = :bookable_id)`,
    values: { user_id, bookable_id, from, to },
  })
}
