// The rooms of events: claims like any booking, all of an event or none, and checked in to if their rules require it
// for events.

import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { findBrokenRules, type RuleFacts } from '../../../shared/rules/broken-rules.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import type { Connection } from '../../runtime/connection.ts'
import { refuseUnbookable } from '../claims/checks.ts'
import { findConflict, type TimeRange } from '../claims/conflicts.ts'
import type { BookingFacts } from '../claims/facts.ts'
import { arraysOf } from '../rows/rows.ts'
import {
  CHECK_IN_COLUMNS,
  type CheckIn,
  type CheckInWindow,
  changedCheckInWindow,
  checkInWindow,
  isLost,
} from '../rules/check-in-windows.ts'
import { type Overridable, throwUnlessOverridden } from '../rules/enforce-rules.ts'

/** A locked room, for the organizer of the event. */
export type Room = { id: number; facts: BookingFacts }

/** When an event takes place, and whether an administrator overrides rules. */
type Meeting = Overridable & { span: TimeRange; now: string }

/** In the order of their ids. Returns the overridden rules. */
export function refuseUnbookableRooms(rooms: Room[], { span, now, ...input }: Meeting): RefusalCode[] {
  const found = rooms.flatMap(({ facts }) => facts.bookable ?? [])
  if (found.length < rooms.length) {
    throw invalid({ attendees: [message`One of the rooms has just been deleted.`] })
  }
  found.forEach(refuseUnbookable)
  // A past event comes from calendar synchronization and takes no room from anybody.
  if (span.to <= now) return []
  const broken = rooms.flatMap(({ facts }) => findBrokenRules(facts.rules, span, now))
  return throwUnlessOverridden(broken, input)
}

/** Checks rooms that stay as they were when the event gets another organizer. */
export function refuseRoomsOfOthers(rooms: Room[]): void {
  for (const { facts } of rooms) if (facts.bookable) refuseUnbookable({ ...facts.bookable, isBlocked: false })
}

/** A room of the event as it is before a change; a lost one is free. */
export type PresentRoom = CheckIn & { eventId: number; bookableId: number; checkedInAt: string | null }

export async function findPresentRooms(connection: Connection, eventIds: number[]): Promise<PresentRoom[]> {
  if (eventIds.length === 0) return []
  const { rows } = await connection.query<PresentRoom>({
    name: 'find-present-rooms',
    text: `SELECT event_id AS "eventId", bookable_id AS "bookableId", ${timestampText('checked_in_at')} AS "checkedInAt",
             ${CHECK_IN_COLUMNS}
           FROM bookings WHERE event_id = ANY($1::bigint[])`,
    values: [eventIds],
  })
  return rows
}

/** A room to claim, and the check-in that it requires. */
export type Claim = CheckInWindow & { id: number; checkedInAt: string | null }

/**
 * Which claims stay as they are: those at the same time, and released rooms, unless the new start is in the future:
 * calendar synchronization must not reclaim them. All other rooms are claimed anew.
 */
export function claimsAfter(
  rooms: Room[],
  span: TimeRange,
  now: string,
  before: { from: string; rooms: PresentRoom[] } | undefined,
): { kept: number[]; claims: Claim[] } {
  const isMovedAhead = span.from !== before?.from && span.from > now
  const staying = (before?.rooms ?? []).filter((room) => {
    const isSameTime = room.from === span.from && room.to === span.to
    return isSameTime || (!isMovedAhead && isLost(room, now))
  })
  const ids = rooms.map(({ id }) => id)
  const kept = staying.map(({ bookableId }) => bookableId).filter((id) => ids.includes(id))
  const claimed = rooms.filter(({ id }) => !kept.includes(id))
  const claims = claimed.map(({ id, facts }): Claim => {
    const rules = eventRules(facts, span, now)
    const room = before?.rooms.find(({ bookableId }) => bookableId === id)
    if (!room) return { id, ...checkInWindow(rules, span, now), checkedInAt: null }
    // It stays checked in, unless the event begins at another time in the future.
    const isCheckedIn = span.from === room.from || span.from <= now
    const window = changedCheckInWindow(rules, room, span, now)
    return { id, ...window, checkedInAt: isCheckedIn ? room.checkedInAt : null }
  })
  return { kept, claims }
}

/** The rules of a room if they require check-in for events. The time of day is for bookings only. */
export function eventRules({ rules }: BookingFacts, span: TimeRange, now: string): RuleFacts | undefined {
  const check_in = rules?.rules.check_in
  if (span.to <= now || !rules || !check_in?.events) return undefined
  return { ...rules, rules: { ...rules.rules, check_in: { ...check_in, by: undefined } } }
}

/** An event whose rooms are claimed. */
export type Claimant = {
  id: number
  organizerId: number
  context: { now: string }
  span: TimeRange
  claims: Claim[]
}

/** Claims rooms in the order of their ids; returns those that are taken. */
export async function claimRooms(
  connection: Connection,
  claimants: Claimant[],
): Promise<Map<number, Claim[]>> {
  const asked = claimants.flatMap(({ id, span, claims }) =>
    claims.map((claim) => ({ ...claim, bookableId: claim.id, eventId: id, start: span.from, end: span.to })),
  )
  if (asked.length === 0) return new Map()
  const { rows } = await connection.query<{ event_id: number; bookable_id: number }>({
    name: 'claim-rooms',
    text: `
      INSERT INTO bookings (bookable_id, event_id, during, exclusive, check_in_from, check_in_until, checked_in_at)
      SELECT id, event_id, tstzrange(from_time, to_time), type <> ${BOOKABLE_TYPES.homeOffice}, opens, closes, checked_in_at
      FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[],
          $7::timestamptz[]) WITH ORDINALITY
        AS asked (id, event_id, from_time, to_time, opens, closes, checked_in_at, ordinal)
      JOIN bookables USING (id)
      ORDER BY id, ordinal
      ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
      RETURNING event_id, bookable_id`,
    values: arraysOf(asked, ['bookableId', 'eventId', 'start', 'end', 'from', 'until', 'checkedInAt']),
  })
  const claimed = new Set(rows.map(({ event_id, bookable_id }) => `${event_id} ${bookable_id}`))
  const taken = claimants.map(({ id, claims }): [number, Claim[]] => [
    id,
    claims.filter((claim) => !claimed.has(`${id} ${claim.id}`)),
  ])
  return new Map(taken.filter(([, claims]) => claims.length > 0))
}

// A conflicting claim may vanish before it can be named; then there is room after all.
const CLAIM_TRIES = 5

/** Claims the rooms that were taken, or says what is in the way. */
export async function claimTaken(
  connection: Connection,
  claimant: Claimant,
  taken: Claim[],
): Promise<Refusal | undefined> {
  let missing: Claim[] | undefined = taken
  for (let tries = 1; missing; tries++) {
    const conflict = await earliestConflict(connection, claimant, missing)
    if (conflict) return conflict
    if (tries === CLAIM_TRIES) {
      const detail = message`Others are booking and cancelling one of the rooms right now. Try again.`
      return new Refusal('booking_conflict', detail)
    }
    missing = (await claimRooms(connection, [{ ...claimant, claims: missing }])).get(claimant.id)
  }
  return undefined
}

async function earliestConflict(
  connection: Connection,
  { organizerId, context: { now }, span }: Claimant,
  missing: Claim[],
): Promise<Refusal | undefined> {
  const { rows } = await connection.query<{ bookable_id: number }>({
    name: 'find-taken-room',
    text: `SELECT bookable_id FROM bookings
           WHERE bookable_id = ANY($1::bigint[]) AND exclusive AND during && tstzrange($2, $3)
           ORDER BY lower(during), bookable_id LIMIT 1`,
    values: [missing.map(({ id }) => id), span.from, span.to],
  })
  const [taken] = rows
  if (!taken) return undefined
  const subject = { ...taken, user_id: organizerId, hasVehicle: false, now }
  return findConflict(connection, subject, span)
}
