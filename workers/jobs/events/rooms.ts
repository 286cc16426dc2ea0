// Claims the rooms of events: either all rooms of an event or none. Also checks in to rooms whose rules require a
// check-in for events.

import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { findBrokenRules, type RuleFacts } from '../../../shared/rules/broken-rules.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import type { Connection } from '../../runtime/connection.ts'
import { refuseUnbookable } from '../claims/checks.ts'
import { findConflict, type TimeRange } from '../claims/conflicts.ts'
import type { BookingFacts } from '../claims/facts.ts'
import { toColumnArrays } from '../rows/rows.ts'
import {
  CHECK_IN_COLUMNS_SQL,
  type CheckIn,
  type CheckInWindow,
  computeChangedCheckInWindow,
  computeCheckInWindow,
  isCheckInMissed,
} from '../rules/check-in-windows.ts'
import {
  type InputOverridingRules,
  omitNeedsApproval,
  throwUnlessOverridden,
} from '../rules/enforce-rules.ts'

/** A locked room, with the facts that the checks need about it and the event's organizer. */
export type EventRoom = { id: number; facts: BookingFacts }

/** When an event takes place, and whether somebody overrides the rules of its rooms or has approved it. */
type Meeting = InputOverridingRules & { span: TimeRange; now: string; is_approved?: boolean | undefined }

/**
 * Refuses rooms that cannot be booked. `rooms` must be in the order of their ids. Returns the rules that were
 * overridden.
 */
export function refuseUnbookableRooms(rooms: EventRoom[], { span, now, ...input }: Meeting): RefusalCode[] {
  const found = rooms.flatMap(({ facts }) => facts.bookable ?? [])
  if (found.length < rooms.length) {
    throw invalidFields({ attendees: [message`One of the rooms has just been deleted.`] })
  }
  for (const bookable of found) refuseUnbookable(bookable, span)
  // Past events come from calendar synchronization. Their rooms are not checked, because they take a room from nobody.
  if (span.to <= now) return []
  const broken = rooms.flatMap(({ facts }) => findBrokenRules(facts.rules, span, now))
  return throwUnlessOverridden(omitNeedsApproval(broken, input), input)
}

/** The refusals of the rules that depend on who books. */
const PERSONAL_RULES: RefusalCode[] = ['not_for_this_user', 'needs_approval']

/**
 * Refuses unchanged rooms that the new organizer of the event is not allowed to book. Returns the rules that were
 * overridden.
 */
export function refuseRoomsForNewOrganizer(
  rooms: EventRoom[],
  { span, now, ...input }: Meeting,
): RefusalCode[] {
  for (const { facts } of rooms)
    if (facts.bookable) refuseUnbookable({ ...facts.bookable, isBlocked: false }, span)
  if (span.to <= now) return []
  const broken = rooms
    .flatMap(({ facts }) => findBrokenRules(facts.rules, span, now))
    .filter(({ code }) => PERSONAL_RULES.includes(code))
  return throwUnlessOverridden(omitNeedsApproval(broken, input), input)
}

/** The state of an event's room before a change. If the event has lost the room, others can book it. */
export type PresentRoom = CheckIn & { eventId: number; bookableId: number; checkedInAt: string | null }

export async function findPresentRooms(connection: Connection, eventIds: number[]): Promise<PresentRoom[]> {
  if (eventIds.length === 0) return []
  const { rows } = await connection.query<PresentRoom>({
    name: 'find-present-rooms',
    text: `SELECT event_id AS "eventId", bookable_id AS "bookableId", ${timestampText('checked_in_at')} AS "checkedInAt",
             ${CHECK_IN_COLUMNS_SQL}
           FROM bookings WHERE event_id = ANY($1::bigint[])`,
    values: [eventIds],
  })
  return rows
}

/** A room to claim, with its check-in window. */
export type RoomClaim = CheckInWindow & { id: number; checkedInAt: string | null }

/** Returns the claims that stay unchanged: rooms whose time does not change, and released rooms unless the
 * new start is in the future, because calendar synchronization must not reclaim released rooms. All other
 * rooms are claimed again. */
export function determineClaims(
  rooms: EventRoom[],
  span: TimeRange,
  now: string,
  before: { from: string; rooms: PresentRoom[] } | undefined,
): { kept: number[]; claims: RoomClaim[] } {
  const isMovedAhead = span.from !== before?.from && span.from > now
  const staying = (before?.rooms ?? []).filter((room) => {
    const isSameTime = room.from === span.from && room.to === span.to
    return isSameTime || (!isMovedAhead && isCheckInMissed(room, now))
  })
  const ids = rooms.map(({ id }) => id)
  const kept = staying.map(({ bookableId }) => bookableId).filter((id) => ids.includes(id))
  const claimed = rooms.filter(({ id }) => !kept.includes(id))
  const claims = claimed.map(({ id, facts }): RoomClaim => {
    const rules = selectEventRules(facts, span, now)
    const room = before?.rooms.find(({ bookableId }) => bookableId === id)
    if (!room) return { id, ...computeCheckInWindow(rules, span, now), checkedInAt: null }
    // The room stays checked in unless the event moves to a different start in the future.
    const isCheckedIn = span.from === room.from || span.from <= now
    const window = computeChangedCheckInWindow(rules, room, span, now)
    return { id, ...window, checkedInAt: isCheckedIn ? room.checkedInAt : null }
  })
  return { kept, claims }
}

/**
 * Returns the rules of a room if they require a check-in for events. The rule that sets a time of day for check-ins
 * applies only to bookings.
 */
export function selectEventRules(
  { rules }: BookingFacts,
  span: TimeRange,
  now: string,
): RuleFacts | undefined {
  const check_in = rules?.rules.check_in
  if (span.to <= now || !rules || !check_in?.events) return undefined
  return { ...rules, rules: { ...rules.rules, check_in: { ...check_in, by: undefined } } }
}

/** An event, with the rooms to claim for it. */
export type EventClaimingRooms = {
  id: number
  organizerId: number
  context: { now: string }
  span: TimeRange
  claims: RoomClaim[]
}

/** Claims rooms in the order of their ids. Returns the rooms that are not free. */
export async function claimRooms(
  connection: Connection,
  claimants: EventClaimingRooms[],
): Promise<Map<number, RoomClaim[]>> {
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
    values: toColumnArrays(asked, ['bookableId', 'eventId', 'start', 'end', 'from', 'until', 'checkedInAt']),
  })
  const claimed = new Set(rows.map(({ event_id, bookable_id }) => `${event_id} ${bookable_id}`))
  const taken = claimants.map(({ id, claims }): [number, RoomClaim[]] => [
    id,
    claims.filter((claim) => !claimed.has(`${id} ${claim.id}`)),
  ])
  return new Map(taken.filter(([, claims]) => claims.length > 0))
}

// The limit on attempts to claim a room. A conflicting claim may disappear before the conflict can be described, and
// then the room is free after all.
const CLAIM_TRIES_MAX = 5

/** Tries again to claim the rooms that were not free, or reports the conflict. */
export async function claimTakenRooms(
  connection: Connection,
  claimant: EventClaimingRooms,
  taken: RoomClaim[],
): Promise<Refusal | undefined> {
  let missing: RoomClaim[] | undefined = taken
  for (let tries = 1; missing; tries++) {
    const conflict = await findEarliestConflict(connection, claimant, missing)
    if (conflict) return conflict
    if (tries === CLAIM_TRIES_MAX) {
      const detail = message`Others are changing bookings of one of the rooms right now. Try again.`
      return new Refusal('booking_conflict', detail)
    }
    missing = (await claimRooms(connection, [{ ...claimant, claims: missing }])).get(claimant.id)
  }
  return undefined
}

async function findEarliestConflict(
  connection: Connection,
  { organizerId, context: { now }, span }: EventClaimingRooms,
  missing: RoomClaim[],
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
