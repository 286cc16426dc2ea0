// Describes conflicts: which claim occupies the time (but never who has it), and which other bookables are free. One
// statement describes all conflicts of a batch.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { isLentSql } from '../../../shared/loans/loans-shape.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { rulesAllowSql } from '../../../shared/rules/rules-shape.ts'
import { spanColumns } from '../../../shared/schemas/json.ts'
import type { Connection } from '../../runtime/connection.ts'
import { toColumnArrays } from '../rows/rows.ts'
import { zoneSql } from './locks.ts'

const ALTERNATIVES_MAX = 3
const { flexible, assigned } = BOOKABLE_STATUSES

export type TimeRange = { from: string; to: string }
export type OpenTimeRange = { from: string; to: string | null }

/** Who requests which bookable, and when. `id` is the id of the booking to move, which never conflicts with itself. */
type ClaimSubject = { bookable_id: number; user_id: number; hasVehicle: boolean; now: string; id?: number }
type TimedSubject = ClaimSubject & { span: OpenTimeRange }
export type Alternative = { id: number; name: string }
type Conflict = {
  ordinal: number
  name: string
  from: string
  to: string | null
  zone: string
  alternatives: Alternative[]
}

/** Describes a conflict. Returns undefined if nothing conflicts any more. */
export async function findConflict(connection: Connection, subject: ClaimSubject, span: OpenTimeRange) {
  const [conflict] = await findConflicts(connection, [{ ...subject, span }])
  return conflict
}

/**
 * Describes conflicts, in the order of the subjects. The result is undefined for a subject with which nothing conflicts
 * any more.
 */
export async function findConflicts(
  connection: Connection,
  subjects: TimedSubject[],
): Promise<Array<Refusal | undefined>> {
  if (subjects.length === 0) return []
  const { rows } = await connection.query<Conflict>({
    ...(hasSharedTime(subjects) ? SHARED_SEARCH_SQL : SINGLE_SEARCHES_SQL),
    values: getColumnValues(subjects),
  })
  const conflicts = new Map(rows.map((row) => [row.ordinal - 1, row]))
  return subjects.map(({ bookable_id }, index) => {
    const conflict = conflicts.get(index)
    return conflict && createConflictRefusal(bookable_id, conflict)
  })
}

const getColumnValues = (subjects: TimedSubject[]) =>
  toColumnArrays(
    subjects.map(({ span, ...subject }) => ({ ...subject, ...span, id: subject.id ?? null })),
    ['bookable_id', 'user_id', 'hasVehicle', 'from', 'to', 'now', 'id'],
  )

/** Finds places that are free instead of one that is refused for another reason than a conflict. */
export async function findAlternatives(
  connection: Connection,
  subject: ClaimSubject,
  span: OpenTimeRange,
): Promise<Alternative[]> {
  const { rows } = await connection.query<Conflict>({
    ...ALTERNATIVES_SQL,
    values: getColumnValues([{ ...subject, span }]),
  })
  return rows[0]?.alternatives ?? []
}

function createConflictRefusal(bookable_id: number, { name, alternatives, from, to, zone }: Conflict) {
  return new Refusal('booking_conflict', message`${name} is taken ${{ from, to, zone }}.`, {
    members: { conflict: { bookable_id, from, to }, alternatives },
  })
}

function hasSharedTime(subjects: TimedSubject[]): boolean {
  const times = subjects.map(({ span }) => `${span.from} ${span.to}`)
  return new Set(times).size < times.length
}

// Finds the earliest conflicting claim of each subject. `floor` numbers the different combinations of location, type
// and time. Because of OFFSET 0, Postgres looks up the bookables one by one and does not read all of them.
const WANTED_SQL = `
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

const IS_FOR_PERSON_SQL = `other.id <> wanted.bookable_id
  AND (NOT other.requires_vehicle OR wanted.has_vehicle)
  AND (other.status = ${flexible} OR EXISTS (
    SELECT FROM bookable_assignees
    WHERE bookable_assignees.bookable_id = other.id AND bookable_assignees.user_id = wanted.user_id
  ) OR ${isLentSql('other.id', 'wanted.from_time', 'wanted.to_time')})`

const IS_ALLOWED_SQL = `(
  SELECT ${rulesAllowSql({ user: 'wanted.user_id', from: 'wanted.from_time', to: 'wanted.to_time', now: 'wanted.now' })}
  FROM locations JOIN buildings ON buildings.id = locations.building_id
  WHERE locations.id = bookables.location_id
)`

// What to search alternatives for if nothing conflicts: a place that is refused for another reason.
const REFUSED_SQL = `
  wanted AS MATERIALIZED (
    SELECT asked.*, place.*, tstzrange(asked.from_time, asked.to_time) AS during
    FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::bigint[])
      WITH ORDINALITY AS asked (bookable_id, user_id, has_vehicle, from_time, to_time, now, id, ordinal)
    CROSS JOIN LATERAL (
      SELECT name, location_id, type FROM bookables WHERE bookables.id = asked.bookable_id OFFSET 0
    ) AS place
  )`

const isFreeSql = (bookable: string, { from, to }: { from: string; to: string }) => `NOT EXISTS (
  SELECT FROM bookings
  WHERE bookings.bookable_id = ${bookable}.id AND bookings.exclusive AND bookings.during && tstzrange(${from}, ${to})
  OFFSET 0
)`

/**
 * Describes conflicts and lists alternatives. Neighbouring bookables usually have neighbouring ids, so those with the
 * nearest ids in `others` come first; of two equally near ids, the lower one. Because of OFFSET 0, Postgres checks
 * `isOffered` in this order and stops when there are enough.
 */
const conflictsSql = (others: string, isOffered: string) => `
  SELECT ordinal, name, ${spanColumns('wanted')}, ${zoneSql('wanted.bookable_id')} AS zone, coalesce((
    SELECT json_agg(json_build_object('id', id, 'name', name) ORDER BY distance)
    FROM (
      SELECT id, name, distance
      FROM (
        SELECT other.id, other.name, other.type, other.rules, other.location_id,
          2 * abs(other.id - wanted.bookable_id) + (other.id > wanted.bookable_id)::int AS distance
        FROM ${others} AND ${IS_FOR_PERSON_SQL}
        ORDER BY distance OFFSET 0
      ) AS bookables
      WHERE ${isOffered}
      ORDER BY distance
      LIMIT ${ALTERNATIVES_MAX}
    ) AS near
  ), '[]') AS alternatives
  FROM wanted`

const IS_CANDIDATE_SQL = `other.deleted_at IS NULL AND other.status IN (${flexible}, ${assigned})`

// The search for alternatives: bookables that are free for the whole time, and that this user may book according to all
// rules that do not count other bookings.
const SINGLE_SEARCH_SQL = conflictsSql(
  `bookables AS other
     WHERE other.location_id = wanted.location_id AND other.type = wanted.type AND ${IS_CANDIDATE_SQL}`,
  `${isFreeSql('bookables', { from: 'wanted.from_time', to: 'wanted.to_time' })} AND ${IS_ALLOWED_SQL}`,
)
const SINGLE_SEARCHES_SQL = { name: 'find-conflicts', text: `WITH ${WANTED_SQL} ${SINGLE_SEARCH_SQL}` }
const ALTERNATIVES_SQL = { name: 'find-alternatives', text: `WITH ${REFUSED_SQL} ${SINGLE_SEARCH_SQL}` }

// The search for alternatives for many callers. If they want the same few bookables at the same time, each caller would
// search the same full floor. Instead, one search finds the free bookables for each location, type and time, and each
// caller gets the nearest ones that they may book.
const SHARED_SEARCH_SQL = {
  name: 'find-conflicts-at-same-times',
  text: `WITH ${WANTED_SQL}, floors AS MATERIALIZED (
    SELECT DISTINCT floor, location_id, type, from_time, to_time FROM wanted
  ), free AS MATERIALIZED (
    SELECT floors.floor, other.*
    FROM floors CROSS JOIN LATERAL (
      SELECT id, name, type, rules, location_id, status, requires_vehicle
      FROM bookables AS other
      WHERE other.location_id = floors.location_id AND other.type = floors.type AND ${IS_CANDIDATE_SQL}
        AND ${isFreeSql('other', { from: 'floors.from_time', to: 'floors.to_time' })}
      OFFSET 0
    ) AS other
  ) ${conflictsSql('free AS other WHERE other.floor = wanted.floor', IS_ALLOWED_SQL)}`,
}
