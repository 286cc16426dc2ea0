// The rooms of an event: claimed in one statement in the order of their ids, all or none.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import type { Write } from '../../runtime/write.ts'
import { refuseUnbookable } from '../claims/checks.ts'
import { findConflict, type TimeRange } from '../claims/conflicts.ts'
import { findRoomRules } from '../claims/facts.ts'
import { findBrokenRules, type Overridable, throwUnlessOverridden } from '../rules/enforce-rules.ts'

type Claimant = { eventId: number; organizerId: number; now: string }

/** When an event takes place, and whether an administrator overrides rules. */
type Meeting = Overridable & { span: TimeRange; organizerId: number }

// A claim in the way may vanish before it can be named; then there is room after all.
const CLAIM_TRIES = 5

/** Returns the overridden rules. */
export async function refuseUnbookableRooms(
  write: Write,
  ids: number[],
  { organizerId, span, ...input }: Meeting,
): Promise<RefusalCode[]> {
  if (ids.length === 0) return []
  const { now } = write
  const rooms = await lockRooms(write, ids, organizerId)
  if (rooms.length < ids.length) {
    throw invalid({ attendees: [message`One of the bookables has just been deleted.`] })
  }
  rooms.forEach(refuseUnbookable)
  // A past event comes from calendar synchronization and takes no room from anybody.
  if (span.to <= now) return []
  const rules = await findRoomRules(write, ids, organizerId)
  const broken = rules.flatMap((facts) => findBrokenRules(facts, span, now))
  return throwUnlessOverridden(broken, input)
}

/** Checks rooms that stay as they were when the event gets another organizer. */
export async function refuseRoomsOfOthers(write: Write, ids: number[], organizerId: number) {
  if (ids.length === 0) return
  for (const room of await lockRooms(write, ids, organizerId)) refuseUnbookable({ ...room, isBlocked: false })
}

async function lockRooms(write: Write, ids: number[], userId: number) {
  const rooms = await write.all<{ id: number; name: string; status: number }>(
    'SELECT id, name, status FROM bookables WHERE id = ANY(?::bigint[]) AND deleted_at IS NULL ORDER BY id FOR SHARE',
    [ids],
  )
  // A separate statement: the one that has waited for the lock would see the former assignees.
  const theirs = await write.ids(
    'SELECT bookable_id AS id FROM bookable_assignees WHERE bookable_id = ANY(?::bigint[]) AND user_id = ?',
    [ids, userId],
  )
  return rooms.map(({ id, name, status }) => ({
    name,
    isBlocked: status === BOOKABLE_STATUSES.blocked,
    isAssigned: status === BOOKABLE_STATUSES.assigned,
    isAssignedToUser: theirs.includes(id),
  }))
}

export async function claimRooms(write: Write, claimant: Claimant, ids: number[], span: TimeRange) {
  let missing = ids
  for (let tries = 0; tries < CLAIM_TRIES; tries++) {
    missing = await insertClaims(write, claimant, missing, span)
    if (missing.length === 0) return
    const conflict = await earliestConflict(write, claimant, missing, span)
    if (conflict) throw conflict
  }
  throw new Refusal(
    'booking_conflict',
    message`Others are booking and cancelling one of the rooms right now. Try again.`,
  )
}

/** Returns the rooms that are taken. */
async function insertClaims(write: Write, { eventId }: Claimant, ids: number[], { from, to }: TimeRange) {
  if (ids.length === 0) return []
  const claimed = await write.ids(
    `INSERT INTO bookings (bookable_id, event_id, during, exclusive)
     SELECT id, ?, tstzrange(?, ?), type <> ${BOOKABLE_TYPES.homeOffice}
     FROM bookables WHERE id = ANY(?::bigint[])
     ORDER BY id
     ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
     RETURNING bookable_id AS id`,
    [eventId, from, to, ids],
  )
  return ids.filter((id) => !claimed.includes(id))
}

async function earliestConflict(
  write: Write,
  { organizerId, now }: Claimant,
  ids: number[],
  span: TimeRange,
): Promise<Refusal | undefined> {
  const taken = await write.first<{ bookable_id: number }>(
    `SELECT bookable_id FROM bookings
     WHERE bookable_id = ANY(?::bigint[]) AND exclusive AND during && tstzrange(?, ?)
     ORDER BY lower(during), bookable_id LIMIT 1`,
    [ids, span.from, span.to],
  )
  if (!taken) return undefined
  const subject = { ...taken, user_id: organizerId, hasVehicle: false, now }
  return findConflict(await write.connection(), subject, span)
}
