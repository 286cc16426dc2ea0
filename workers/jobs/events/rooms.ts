// The rooms of an event: claimed in one statement in the order of their ids, all or none, and checked in to at once,
// if their rules require check-in for events.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { refuseUnbookable } from '../claims/checks.ts'
import { findConflict, type TimeRange } from '../claims/conflicts.ts'
import { findRoomRules } from '../claims/facts.ts'
import { filterToTokenBuildings } from '../kit/preconditions.ts'
import {
  CHECK_IN_COLUMNS,
  type CheckIn,
  changedCheckInWindow,
  checkInWindow,
  isLost,
  refuseCheckIn,
} from '../rules/check-in-windows.ts'
import { findBrokenRules, type Overridable, throwUnlessOverridden } from '../rules/enforce-rules.ts'

type Claimant = { eventId: number; organizerId: number; now: string }

/** When an event takes place, and whether an administrator overrides rules. */
type Meeting = Overridable & { span: TimeRange; organizerId: number }

// A conflicting claim may vanish before it can be named; then there is room after all.
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
  const detail = message`Others are booking and cancelling one of the rooms right now. Try again.`
  throw new Refusal('booking_conflict', detail)
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

export const NO_EVENT = message`There is no event with this id.`

type Room = CheckIn & { id: number; before: unknown }

export const eventCheckInHandlers: Handlers<'events.check-in'> = {
  /** Released rooms stay released; without any other it is too late. A limited token skips rooms elsewhere. */
  async 'events.check-in'(write, { id }) {
    const { now, buildingIds } = write
    await lockConfirmed(write, id)
    const rooms = await lockRoomsOfEvent(write, id)
    const waiting = rooms.filter((room) => !room.isCheckedIn && !isLost(room, now))
    const [first] = rooms
    const noRooms = message`This event has no rooms to check in to.`
    if (!first) throw new Refusal('not_found', buildingIds ? NO_EVENT : noRooms)
    if (waiting.length === 0 && !rooms.some(({ isCheckedIn }) => isCheckedIn)) refuseCheckIn(first, now)
    for (const room of waiting) refuseCheckIn(room, now)
    if (waiting.length > 0) {
      const former = await write.readFormer('events', [id])
      const checkedIn = await write.all<{ row: unknown }>(
        `UPDATE bookings SET checked_in_at = ?, updated_at = now() WHERE id = ANY(?::bigint[])
         RETURNING to_jsonb(bookings) AS row`,
        [now, waiting.map((room) => room.id)],
      )
      const before = { rooms: waiting.map((room) => room.before) }
      const after = { rooms: checkedIn.map(({ row }) => row) }
      await write.audit({ action: 'events.check-in', id, former, before, after })
    }
    const { at } = await write.only<{ at: string }>(
      `SELECT ${timestampText('min(checked_in_at)')} AS at FROM bookings WHERE id = ANY(?::bigint[])`,
      [rooms.map((room) => room.id)],
    )
    return { data: { id, checked_in_at: at } }
  },
}

async function lockConfirmed(write: Write, id: number): Promise<void> {
  const lock = 'SELECT status FROM events WHERE id = ? FOR UPDATE'
  const { status } = await write.requireRow<{ status: number }>(lock, [id], NO_EVENT)
  if (status !== EVENT_STATUSES.cancelled) return
  // A cancelled event has no rooms, so it lies in no building.
  if (write.buildingIds !== undefined) throw new Refusal('not_found', NO_EVENT)
  throw new Refusal('event_cancelled', message`The event is cancelled: it has no rooms.`)
}

async function lockRoomsOfEvent(write: Write, eventId: number): Promise<Room[]> {
  const all = await write.all<Room>(
    `SELECT bookings.id, ${CHECK_IN_COLUMNS}, to_jsonb(bookings) AS before
     FROM bookings WHERE event_id = ? ORDER BY id FOR UPDATE`,
    [eventId],
  )
  const ids = all.map(({ id }) => id)
  const within = await filterToTokenBuildings(write, 'bookings', ids)
  return all.filter(({ id }) => within.includes(id))
}

/** A room of the event before it was replaced; a lost one is free. */
type PresentRoom = CheckIn & { bookableId: number; checkedInAt: string | null }

export function findPresentRooms(write: Write, eventId: number): Promise<PresentRoom[]> {
  return write.all(
    `SELECT bookable_id AS "bookableId", ${timestampText('checked_in_at')} AS "checkedInAt", ${CHECK_IN_COLUMNS}
     FROM bookings WHERE event_id = ?`,
    [eventId],
  )
}

type ClaimedMeeting = { eventId: number; organizerId: number; span: TimeRange; present?: PresentRoom[] }

/**
 * Sets what the rules require of rooms that have just been claimed. A room that the event had before keeps
 * its requirement and stays checked in, unless the event begins at another time in the future.
 */
export async function setCheckIns(
  write: Write,
  roomIds: number[],
  { eventId, organizerId, span, present = [] }: ClaimedMeeting,
): Promise<void> {
  if (roomIds.length === 0) return
  const { now } = write
  const rules = span.to <= now ? [] : await findRoomRules(write, roomIds, organizerId)
  const checkIns = roomIds.map((id) => {
    const facts = rules.find(({ bookable, rules: { check_in } }) => bookable.id === id && check_in?.events)
    const before = present.find(({ bookableId }) => bookableId === id)
    const stays = before && (span.from === before.from || span.from <= now)
    return {
      ...(before ? changedCheckInWindow(facts, before, span, now) : checkInWindow(facts, span, now)),
      id,
      checkedInAt: stays ? before.checkedInAt : null,
    }
  })
  const asking = checkIns.filter(({ from, checkedInAt }) => from !== null || checkedInAt !== null)
  if (asking.length === 0) return
  await write.run(
    `UPDATE bookings SET check_in_from = asked.opens, check_in_until = asked.closes,
       checked_in_at = coalesce(asked.checked_in_at, bookings.checked_in_at)
     FROM unnest(CAST(:ids AS bigint[]), CAST(:opens AS timestamptz[]), CAST(:closes AS timestamptz[]),
       CAST(:checkedIn AS timestamptz[])) AS asked (bookable_id, opens, closes, checked_in_at)
     WHERE event_id = :eventId AND bookings.bookable_id = asked.bookable_id`,
    {
      eventId,
      ids: asking.map(({ id }) => id),
      opens: asking.map(({ from }) => from),
      closes: asking.map(({ until }) => until),
      checkedIn: asking.map(({ checkedInAt }) => checkedInAt),
    },
  )
}
