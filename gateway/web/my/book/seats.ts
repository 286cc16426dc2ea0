// What somebody can book at a time: desks, rooms and parking spots that are free for them, and who sits around there.
import { claimsBetween } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { isApproverSql } from '../../../../shared/rules/approvers.ts'
import type { OpeningHours } from '../../../../shared/rules/opening-hours.ts'
import { ruleInForce } from '../../../../shared/rules/rules-shape.ts'
import { distanceSql, naturalSql } from '../../../../shared/schemas/ordering.ts'
import { FREE_SEARCH, freeBookablesSql } from '../../../reads/availability/free-bookables.ts'
import { SHAPE_SQL, type Shape } from '../../../reads/map/map-layouts.ts'
import { parameters } from '../../../reads/rows/parameters.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { column, flag, number, orNull, text } from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { BOOKABLE } from '../../pages/search/choices.ts'
import { USUAL } from './floors.ts'

const APPROVERS = ruleInForce('bookables', 'approvers')
/** A booking by this user (SQL) is a request, which somebody approves. */
export const needsApproval = (user: string) =>
  flag(`(${APPROVERS} #>> '{}' IS NOT NULL AND NOT ${isApproverSql(`(${APPROVERS})`, user)})`)

const { sql: $, values: valuesOf } = parameters(...FREE_SEARCH, 'near', 'now', 'limit')

const SEAT = {
  ...BOOKABLE,
  tags: column<string[]>('bookables.tags'),
  needsApproval: needsApproval($.user),
  isUsual: flag('bookables.usual IS NOT NULL'),
}
export type Seat = rows.RowOf<typeof SEAT>

// Usual is what the person has booked more than once: each has a badge, so the order explains itself.
const FREE = `${freeBookablesSql({
  columns: `bookables.*, used.usual, CASE WHEN wanted.id IS NOT NULL THEN ${distanceSql('wanted', 'bookables', 'plan')} END AS distance`,
  among: `bookables
   LEFT JOIN bookables AS wanted ON wanted.id = ${$.near}::bigint
   LEFT JOIN locations AS plan ON plan.id = wanted.location_id
   LEFT JOIN (
     SELECT bookable_id, count(*) AS usual FROM bookings
     WHERE user_id = ${$.user} AND lower(during) > ${$.now}::timestamptz - ${USUAL} AND guest_name IS NULL AND guest_email IS NULL
     GROUP BY bookable_id HAVING count(*) > 1
   ) AS used ON used.bookable_id = bookables.id`,
  order: 'bookables.id',
  except: 'approvers',
  addsVehicle: true,
})} AND bookables.id IS DISTINCT FROM ${$.near}::bigint
  ORDER BY bookables.distance, CASE WHEN ${$.capacity}::int IS NOT NULL THEN bookables.capacity END,
    bookables.usual DESC NULLS LAST, CASE WHEN bookables.type = ${BOOKABLE_TYPES.meetingRoom} THEN bookables.capacity END, ${naturalSql('bookables.name')}, bookables.id LIMIT ${$.limit}`

type Wanted = {
  location?: number
  building?: number
  type: number
  tags?: string[] | undefined
  people?: number | undefined
  /** Bookables nearest to this one come first; this one itself is left out. */
  near?: number | undefined
}
export type Span = { from: string; to: string }

/** Bookables that are free for the person all of that time: first their usual ones, by how often they book them. */
export const listFreeSeats = (
  { reads, requirePerson, now }: Call,
  { building, location, type, tags, people, near }: Wanted,
  { from, to }: Span,
  limit: number,
): Promise<Seat[]> => {
  const place = { building, location, type, tags, capacity: people, near }
  const values = valuesOf({ ...place, user: requirePerson().id, from, to, now, limit })
  return rows.selectRows(reads, SEAT, FREE, values)
}

const ONE = {
  ...BOOKABLE,
  tags: SEAT.tags,
  hours: column<OpeningHours | null>(ruleInForce('bookables', 'opening_hours')),
  needsApproval: needsApproval('$2'),
  /** The names of groups, and of people who let the person see them. */
  approvers: column<string[]>(`ARRAY(
    SELECT name FROM groups_of_rules WHERE id::text IN (SELECT json_array_elements_text(${APPROVERS} -> 'group_ids'))
    UNION ALL SELECT name FROM users WHERE id::text IN (SELECT json_array_elements_text(${APPROVERS} -> 'user_ids'))
    ORDER BY name LIMIT 20)`),
}
export type OneSeat = rows.RowOf<typeof ONE>

export async function requireSeat({ reads, requirePerson }: Call, id: number): Promise<OneSeat> {
  const found = `bookables ${rows.JOIN_PLACES} WHERE bookables.id = $1 AND bookables.deleted_at IS NULL`
  const seat = await rows.selectRow(reads, ONE, found, [id, requirePerson().id])
  if (!seat) throw new Refusal('not_found', message`This desk or room does not exist any more.`)
  return seat
}

const SITTING = {
  seatId: number('bookables.id'),
  seat: text('bookables.name'),
  /** Null for people who hide or have left, for guests and for meetings. */
  who: orNull(text('CASE WHEN users.deactivated_at IS NULL THEN users.name END')),
  userId: orNull(number('users.id')),
  hasLeft: flag('users.deactivated_at IS NOT NULL'),
  from: orNull(rows.spanOf('claims').from),
  to: orNull(rows.spanOf('claims').to),
  /** It is theirs every day, so nobody knows whether they are in. */
  isAssigned: flag('claims.is_assigned'),
}
export type Sitting = rows.RowOf<typeof SITTING>

const SITTING_MAX = 200
const TAGS_MAX = 10
export const MAP_MAX = 400

const ON_FLOOR = 'SELECT id FROM bookables WHERE location_id = $1 AND type = $2 AND deleted_at IS NULL'

// Each claim is read once, and each name looked up by its id (OFFSET 0): with joins Postgres reads all bookings and all users.
const SITTING_ON_FLOOR = `(
  WITH placed AS MATERIALIZED (${ON_FLOOR}),
    booked AS MATERIALIZED (${claimsBetween('$3', '$4', 'true', 'SELECT id FROM placed').join(' UNION ALL ')})
  SELECT bookable_id, user_id, during, false AS is_assigned FROM booked
  UNION ALL SELECT bookable_id, user_id, NULL, true FROM bookable_assignees
    WHERE bookable_id IN (SELECT id FROM placed) AND bookable_id NOT IN (SELECT bookable_id FROM booked)
  ) AS claims
  JOIN bookables ON bookables.id = claims.bookable_id
  LEFT JOIN LATERAL (SELECT id, name, deactivated_at FROM users WHERE id = claims.user_id OFFSET 0) AS users ON true
  ORDER BY users.name IS NULL, lower(users.name), ${naturalSql('bookables.name')}, bookables.id LIMIT ${SITTING_MAX}`

/** Lists who has what on a floor at that time, or has an assigned desk there. Those with a name come first. */
export const listSitting = (
  { reads }: Call,
  { location, type }: { location: number; type: number },
  { from, to }: Span,
): Promise<Sitting[]> => rows.selectRows(reads, SITTING, SITTING_ON_FLOOR, [location, type, from, to])

/** Lists the tags of a floor’s places, the most common first. */
export async function listTags({ reads }: Call, { location, type }: { location: number; type: number }) {
  const found = await rows.selectRows(
    reads,
    { tag: text('tag') },
    `(SELECT tag, count(*) AS places FROM bookables, unnest(tags) AS tag
       WHERE location_id = $1 AND type = $2 AND deleted_at IS NULL GROUP BY tag) AS present
     ORDER BY places DESC, tag LIMIT ${TAGS_MAX}`,
    [location, type],
  )
  return found.map(({ tag }) => tag)
}

const HELD = { id: number('bookings.id'), ...rows.CLAIMED, ...rows.BOOKED }
export type Held = rows.RowOf<typeof HELD>

/** What the person has of this kind at that time, anywhere. A second one is possible where no rule forbids it. */
export const findOwnAt = (
  { reads, requirePerson }: Call,
  type: number,
  { from, to }: Span,
): Promise<Held | undefined> =>
  rows.selectRow(
    reads,
    HELD,
    `bookings ${rows.JOIN_BOOKABLES}
     WHERE bookings.user_id = $1 AND bookables.type = $2 AND bookings.during && tstzrange($3, $4)
       AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL
     ORDER BY lower(bookings.during), bookings.id LIMIT 1`,
    [requirePerson().id, type, from, to],
  )

const PLACED = {
  id: number('bookables.id'),
  name: text('bookables.name'),
  x: orNull(number('bookables.position_x')),
  y: orNull(number('bookables.position_y')),
  shape: column<Shape | null>(SHAPE_SQL),
}

/** Lists the positions of the places of one type on a floor. */
export const listPlaced = ({ reads }: Call, { location, type }: { location: number; type: number }) =>
  rows.selectRows(
    reads,
    PLACED,
    `bookables WHERE location_id = $1 AND type = $2 AND deleted_at IS NULL ORDER BY id LIMIT ${MAP_MAX}`,
    [location, type],
  )
