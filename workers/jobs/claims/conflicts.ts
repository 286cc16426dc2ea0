// Describes conflicts: which claim has the time (never whose it is), and which bookables are free instead. One statement
// describes all conflicts of a batch.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { rulesAllow } from '../../../shared/rules/rules-shape.ts'
import { spanColumns } from '../../../shared/schemas/json.ts'
import type { Connection } from '../../runtime/connection.ts'
import { arraysOf } from '../rows/rows.ts'
import { zoneOf } from './locks.ts'

const ALTERNATIVES_MAX = 3
const { flexible, assigned } = BOOKABLE_STATUSES

export type TimeRange = { from: string; to: string }
export type OpenTimeRange = { from: string; to: string | null }

/** Who wants which bookable, and when they ask. `id` is the booking to move; it never conflicts with itself. */
type Subject = { bookable_id: number; user_id: number; hasVehicle: boolean; now: string; id?: number }
type TimedSubject = Subject & { span: OpenTimeRange }
type Conflict = {
  ordinal: number
  name: string
  from: string
  to: string | null
  zone: string
  alternatives: Array<{ id: number; name: string }>
}

/** Undefined if nothing conflicts any more. */
export async function findConflict(connection: Connection, subject: Subject, span: OpenTimeRange) {
  const [conflict] = await findConflicts(connection, [{ ...subject, span }])
  return conflict
}

/** Returns conflicts in the order of the subjects; undefined where nothing conflicts any more. */
export async function findConflicts(
  connection: Connection,
  subjects: TimedSubject[],
): Promise<Array<Refusal | undefined>> {
  if (subjects.length === 0) return []
  const asked = subjects.map(({ span, ...subject }) => ({ ...subject, ...span, id: subject.id ?? null }))
  const { rows } = await connection.query<Conflict>({
    ...(hasSharedTime(subjects) ? SHARED_SEARCH : SINGLE_SEARCHES),
    values: arraysOf(asked, ['bookable_id', 'user_id', 'hasVehicle', 'from', 'to', 'now', 'id']),
  })
  const conflicts = new Map(rows.map((row) => [row.ordinal - 1, row]))
  return subjects.map(({ bookable_id }, index) => {
    const conflict = conflicts.get(index)
    return conflict && refusalOf(bookable_id, conflict)
  })
}

function refusalOf(bookable_id: number, { name, alternatives, from, to, zone }: Conflict) {
  return new Refusal('booking_conflict', message`${name} is taken ${{ from, to, zone }}.`, {
    members: { conflict: { bookable_id, from, to }, alternatives },
  })
}

function hasSharedTime(subjects: TimedSubject[]): boolean {
  const times = subjects.map(({ span }) => `${span.from} ${span.to}`)
  return new Set(times).size < times.length
}

// The earliest conflicting claim of each subject. `floor` numbers the wanted combinations of location, type and time. OFFSET 0
// makes Postgres look up the bookables one by one instead of reading all of them.
const WANTED = `
  wanted AS MATERIALIZED (
    SELECT asked.*, place.*, claim.during, dense_rank() OVER (ORDER BY location_id, type, from_time, to_time) AS floor
    FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::bigint[])
      WITH ORDINALITY AS asked (bookable_id, user_id, has_vehicle, from_time, to_time, now, id, ordinal)
    CROSS JOIN LATERAL (
      SELECT name, location_id, type FROM bookables WHERE bookables.id = asked.bookable_id OFFSET 0
    ) AS place
    CROSS JOIN LATERAL (
      SELECT bookings.during
      FROM bookings
      WHERE bookings.bookable_id = asked.bookable_id AND bookings.exclusive
        AND bookings.during && tstzrange(asked.from_time, asked.to_time) AND bookings.id IS DISTINCT FROM asked.id
      ORDER BY lower(bookings.during)
      LIMIT 1
    ) AS claim
  )`

const isForPerson = `other.id <> wanted.bookable_id
  AND (NOT other.requires_vehicle OR wanted.has_vehicle)
  AND (other.status = ${flexible} OR EXISTS (
    SELECT FROM bookable_assignees
    WHERE bookable_assignees.bookable_id = other.id AND bookable_assignees.user_id = wanted.user_id
  ))`

const isAllowed = `(
  SELECT ${rulesAllow({ user: 'wanted.user_id', from: 'wanted.from_time', to: 'wanted.to_time', now: 'wanted.now' })}
  FROM locations JOIN buildings ON buildings.id = locations.building_id
  WHERE locations.id = bookables.location_id
)`

const isFree = (bookable: string, { from, to }: { from: string; to: string }) => `NOT EXISTS (
  SELECT FROM bookings
  WHERE bookings.bookable_id = ${bookable}.id AND bookings.exclusive AND bookings.during && tstzrange(${from}, ${to})
  OFFSET 0
)`

/**
 * The nearest ids of `others` come first, because neighbours mostly have neighbouring ids; of two equally near ids, the
 * lower one. OFFSET 0 makes Postgres check in this order what `isOffered`, and only until there are enough.
 */
const conflictsWith = (others: string, isOffered: string) => `
  SELECT ordinal, name, ${spanColumns('wanted')}, ${zoneOf('wanted.bookable_id')} AS zone, coalesce((
    SELECT json_agg(json_build_object('id', id, 'name', name) ORDER BY distance)
    FROM (
      SELECT id, name, distance
      FROM (
        SELECT other.id, other.name, other.type, other.rules, other.location_id,
          2 * abs(other.id - wanted.bookable_id) + (other.id > wanted.bookable_id)::int AS distance
        FROM ${others} AND ${isForPerson}
        ORDER BY distance OFFSET 0
      ) AS bookables
      WHERE ${isOffered}
      ORDER BY distance
      LIMIT ${ALTERNATIVES_MAX}
    ) AS near
  ), '[]') AS alternatives
  FROM wanted`

const isCandidate = `other.deleted_at IS NULL AND other.status IN (${flexible}, ${assigned})`

// Alternatives are free for the whole time, and bookable for this user by all rules that do not count other bookings.
const SINGLE_SEARCHES = {
  name: 'find-conflicts',
  text: `WITH ${WANTED} ${conflictsWith(
    `bookables AS other
     WHERE other.location_id = wanted.location_id AND other.type = wanted.type AND ${isCandidate}`,
    `${isFree('bookables', { from: 'wanted.from_time', to: 'wanted.to_time' })} AND ${isAllowed}`,
  )}`,
}

// Many callers who want the same few places at the same time would all search the same full floor. So one search finds the free
// places for each location, type and time, and each caller gets the nearest that they may book.
const SHARED_SEARCH = {
  name: 'find-conflicts-at-same-times',
  text: `WITH ${WANTED}, floors AS MATERIALIZED (
    SELECT DISTINCT floor, location_id, type, from_time, to_time FROM wanted
  ), free AS MATERIALIZED (
    SELECT floors.floor, other.*
    FROM floors CROSS JOIN LATERAL (
      SELECT id, name, type, rules, location_id, status, requires_vehicle
      FROM bookables AS other
      WHERE other.location_id = floors.location_id AND other.type = floors.type AND ${isCandidate}
        AND ${isFree('other', { from: 'floors.from_time', to: 'floors.to_time' })}
      OFFSET 0
    ) AS other
  ) ${conflictsWith('free AS other WHERE other.floor = wanted.floor', isAllowed)}`,
}
