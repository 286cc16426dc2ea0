// Queries for what a person can book at a time: desks, rooms and parking spots that are free for the person,
// and who sits near them.
import { claimsBetweenSql } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { isLentSql, lentUntilSql } from '../../../../shared/loans/loans-shape.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { isApproverSql } from '../../../../shared/rules/approvers.ts'
import { mayBookForSomebodySql, mayBookForSql } from '../../../../shared/rules/book-for-others.ts'
import { ruleInForceSql } from '../../../../shared/rules/rules-shape.ts'
import { distanceSql, naturalSql } from '../../../../shared/schemas/ordering.ts'
import { FREE_SEARCH_PARAMETERS, freeBookablesSql } from '../../../reads/availability/free-bookables.ts'
import { BOOKABLE_SHAPE_SQL, type BookableShape } from '../../../reads/map/map-layouts.ts'
import { nameSqlParameters } from '../../../reads/rows/parameters.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { column, flagColumn, nullableColumn, numberColumn, textColumn } from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { BOOKABLE_CHOICE_COLUMNS } from '../../pages/search/choices.ts'
import { FAVOURITES_AND_GROUPS_IDS_SQL } from '../../pages/search/seats.ts'
import { USUAL_PLACE_PERIOD } from './floors.ts'
import { createPlaceHoursColumns } from './wanted-time.ts'

const APPROVERS_SQL = ruleInForceSql('bookables', 'approvers')
const BOOK_FOR_OTHERS = `(${ruleInForceSql('bookables', 'book_for_others')})`
/** SQL that tells whether a booking by this user is only a request, which somebody has to approve. */
export const needsApproval = (user: string) =>
  flagColumn(`(${APPROVERS_SQL} #>> '{}' IS NOT NULL AND NOT ${isApproverSql(`(${APPROVERS_SQL})`, user)})`)

const { sql: $, values: valuesOf } = nameSqlParameters(...FREE_SEARCH_PARAMETERS, 'near', 'now', 'limit')

const SEAT_COLUMNS = {
  ...BOOKABLE_CHOICE_COLUMNS,
  tags: column<string[]>('bookables.tags'),
  needsApproval: needsApproval($.user),
  /** Whether the owner lends the bookable, so that the person may book it. */
  isLent: flagColumn(`${lentUntilSql($.from)} IS NOT NULL`),
  isUsual: flagColumn('bookables.usual IS NOT NULL'),
  /** The distance to the place that `near` names, where a plan shows both: 1 is the height of the plan. */
  distance: nullableColumn(numberColumn('bookables.distance')),
}
export type Seat = rows.RowOf<typeof SEAT_COLUMNS>

// A usual place is one that the person has booked more than once. Usual places have a badge, which explains
// why they come first.
const FREE_SEATS_FROM = `${freeBookablesSql({
  columns: `bookables.*, used.usual, CASE WHEN wanted.id IS NOT NULL THEN ${distanceSql('wanted', 'bookables', 'plan')} END AS distance`,
  among: `bookables
   LEFT JOIN bookables AS wanted ON wanted.id = ${$.near}::bigint
   LEFT JOIN locations AS plan ON plan.id = wanted.location_id
   LEFT JOIN (
     SELECT bookable_id, count(*) AS usual FROM bookings
     WHERE user_id = ${$.user} AND lower(during) > ${$.now}::timestamptz - ${USUAL_PLACE_PERIOD} AND guest_name IS NULL AND guest_email IS NULL
     GROUP BY bookable_id HAVING count(*) > 1
   ) AS used ON used.bookable_id = bookables.id`,
  order: 'bookables.id',
  except: 'approvers',
  addsVehicle: true,
})} AND bookables.id IS DISTINCT FROM ${$.near}::bigint
  ORDER BY bookables.distance, CASE WHEN ${$.capacity}::int IS NOT NULL THEN bookables.capacity END,
    bookables.usual DESC NULLS LAST, CASE WHEN bookables.type = ${BOOKABLE_TYPES.meetingRoom} THEN bookables.capacity END, ${naturalSql('bookables.name')}, bookables.id LIMIT ${$.limit}`

type SeatSearch = {
  location?: number
  building?: number
  type: number
  tags?: string[] | undefined
  people?: number | undefined
  /** The id of a bookable whose nearest neighbours are listed first. The bookable itself is left out. */
  near?: number | undefined
}
export type BookedSpan = { from: string; to: string }

/** Lists bookables that are free for the person for the whole time. The person's usual ones come first,
 * sorted by how often the person books them. */
export const listFreeSeats = (
  { reads, requirePerson, now }: Call,
  { building, location, type, tags, people, near }: SeatSearch,
  { from, to }: BookedSpan,
  limit: number,
): Promise<Seat[]> => {
  const place = { building, location, type, tags, capacity: people, near }
  const values = valuesOf({ ...place, user: requirePerson().id, from, to, now, limit })
  return rows.selectRows(reads, SEAT_COLUMNS, FREE_SEATS_FROM, values)
}

const SEAT_DETAIL_COLUMNS = {
  ...BOOKABLE_CHOICE_COLUMNS,
  tags: SEAT_COLUMNS.tags,
  ...createPlaceHoursColumns('bookables'),
  needsApproval: needsApproval('$2'),
  /** Whether the person may book here for some of their colleagues. */
  mayBookForOthers: flagColumn(mayBookForSomebodySql(BOOK_FOR_OTHERS, '$2')),
  /** The approvers: the names of groups, and of people who let the person see them. */
  approvers: column<string[]>(`ARRAY(
    SELECT name FROM groups_of_rules WHERE id::text IN (SELECT json_array_elements_text(${APPROVERS_SQL} -> 'group_ids'))
    UNION ALL SELECT name FROM visible_people WHERE id::text IN (SELECT json_array_elements_text(${APPROVERS_SQL} -> 'user_ids'))
    ORDER BY name LIMIT 20)`),
}
export type SeatDetails = rows.RowOf<typeof SEAT_DETAIL_COLUMNS>

/** Returns the details of a desk or room, or undefined if it was deleted. */
export function findSeat({ reads, requirePerson }: Call, id: number): Promise<SeatDetails | undefined> {
  const found = `bookables ${rows.JOIN_PLACES} WHERE bookables.id = $1 AND bookables.deleted_at IS NULL`
  return rows.selectRow(reads, SEAT_DETAIL_COLUMNS, found, [id, requirePerson().id])
}

export async function requireSeat(call: Call, id: number): Promise<SeatDetails> {
  const seat = await findSeat(call, id)
  if (!seat) throw new Refusal('not_found', message`This desk or room no longer exists.`)
  return seat
}

/** Returns whether the person may book this place for this colleague. */
export async function isBookableFor(
  { reads, requirePerson }: Call,
  seat: Pick<SeatDetails, 'id'>,
  colleague: number,
): Promise<boolean> {
  const columns = { isAllowed: flagColumn(mayBookForSql(BOOK_FOR_OTHERS, '$2', '$3::bigint')) }
  const from = `bookables ${rows.JOIN_PLACES} WHERE bookables.id = $1`
  return (
    (await rows.selectRow(reads, columns, from, [seat.id, requirePerson().id, colleague]))?.isAllowed === true
  )
}

const OCCUPIED_SEAT_COLUMNS = {
  seatId: numberColumn('bookables.id'),
  seat: textColumn('bookables.name'),
  /** The name of the holder; null for people who hide or have left, for guests and for meetings. */
  who: nullableColumn(textColumn('CASE WHEN users.deactivated_at IS NULL THEN users.name END')),
  userId: nullableColumn(numberColumn('users.id')),
  hasLeft: flagColumn('users.deactivated_at IS NOT NULL'),
  from: nullableColumn(rows.createSpanColumns('claims').from),
  to: nullableColumn(rows.createSpanColumns('claims').to),
  /** Whether the desk is assigned to the holder. An assigned desk is held every day, so nobody knows whether
   * its holder is in. */
  isAssigned: flagColumn('claims.is_assigned'),
  /** Whether the holder is one of the person's favourites, or in one of the person's groups. */
  isFavouriteOrInGroup: flagColumn(`coalesce(users.id IN (${FAVOURITES_AND_GROUPS_IDS_SQL}), false)`),
}
export type OccupiedSeat = rows.RowOf<typeof OCCUPIED_SEAT_COLUMNS>

const OCCUPIED_SEATS_MAX = 200
const LISTED_TAGS_MAX = 10
export const SEATS_ON_MAP_MAX = 400

const OF_FLOOR = 'location_id = $1 AND type = $2'
const OF_ONE = 'id = $1 AND type = $2'

// Reads each claim once, and looks each name up by its id (OFFSET 0). With joins, Postgres would read all bookings and
// all users.
const occupiedSeatsFrom = (which: string) => `(
  WITH placed AS MATERIALIZED (SELECT id FROM bookables WHERE ${which} AND deleted_at IS NULL),
    booked AS MATERIALIZED (${claimsBetweenSql('$3', '$4', 'true', 'SELECT id FROM placed').join(' UNION ALL ')})
  SELECT bookable_id, user_id, during, false AS is_assigned FROM booked
  UNION ALL SELECT bookable_id, user_id, NULL, true FROM bookable_assignees
    WHERE bookable_id IN (SELECT id FROM placed) AND bookable_id NOT IN (SELECT bookable_id FROM booked)
      AND NOT ${isLentSql('bookable_id', '$3::timestamptz', '$4::timestamptz')}
  ) AS claims
  JOIN bookables ON bookables.id = claims.bookable_id
  LEFT JOIN LATERAL (SELECT id, name, deactivated_at FROM users WHERE id = claims.user_id OFFSET 0) AS users ON true
  ORDER BY users.name IS NULL, lower(users.name), ${naturalSql('bookables.name')}, bookables.id LIMIT ${OCCUPIED_SEATS_MAX}`

/** Lists who has which place on a floor at that time, including assigned desks that are not lent then. Holders with a name come first. */
export const listOccupiedSeats = (
  { reads }: Call,
  { location, type }: { location: number; type: number },
  { from, to }: BookedSpan,
): Promise<OccupiedSeat[]> =>
  rows.selectRows(reads, OCCUPIED_SEAT_COLUMNS, occupiedSeatsFrom(OF_FLOOR), [location, type, from, to])

/** Lists who has one place when. */
export const listClaimsOfSeat = (
  { reads }: Call,
  { id, type }: Pick<SeatDetails, 'id' | 'type'>,
  { from, to }: BookedSpan,
): Promise<OccupiedSeat[]> =>
  rows.selectRows(reads, OCCUPIED_SEAT_COLUMNS, occupiedSeatsFrom(OF_ONE), [id, type, from, to])

/** Lists the tags of the places on a floor, with the most common first. */
export async function listTags({ reads }: Call, { location, type }: { location: number; type: number }) {
  const found = await rows.selectRows(
    reads,
    { tag: textColumn('tag') },
    `(SELECT tag, count(*) AS places FROM bookables, unnest(tags) AS tag
       WHERE location_id = $1 AND type = $2 AND deleted_at IS NULL GROUP BY tag) AS present
     ORDER BY places DESC, tag LIMIT ${LISTED_TAGS_MAX}`,
    [location, type],
  )
  return found.map(({ tag }) => tag)
}

const OWN_BOOKING_COLUMNS = {
  id: numberColumn('bookings.id'),
  ...rows.CLAIM_SPAN_COLUMNS,
  ...rows.BOOKED_PLACE_COLUMNS,
}
export type HeldBooking = rows.RowOf<typeof OWN_BOOKING_COLUMNS>

/** Lists the bookings of this type that the person has anywhere at that time, without those for guests. */
export const listOwnBookingsAt = (
  { reads, requirePerson }: Call,
  type: number,
  { from, to }: { from: string; to: string | null },
  limit: number,
): Promise<HeldBooking[]> =>
  rows.selectRows(
    reads,
    OWN_BOOKING_COLUMNS,
    `bookings ${rows.JOIN_BOOKABLES}
     WHERE bookings.user_id = $1 AND bookables.type = $2 AND bookings.during && tstzrange($3, $4)
       AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL
     ORDER BY lower(bookings.during), bookings.id LIMIT ${limit}`,
    [requirePerson().id, type, from, to],
  )

/** Finds any booking of this type that the person has anywhere at that time. The person can book another
 * place unless a rule forbids it. */
export const findOwnBookingAt = async (call: Call, type: number, span: BookedSpan) =>
  (await listOwnBookingsAt(call, type, span, 1))[0]

const SEAT_POSITION_COLUMNS = {
  id: numberColumn('bookables.id'),
  name: textColumn('bookables.name'),
  x: nullableColumn(numberColumn('bookables.position_x')),
  y: nullableColumn(numberColumn('bookables.position_y')),
  shape: column<BookableShape | null>(BOOKABLE_SHAPE_SQL),
}

export type SeatPosition = rows.RowOf<typeof SEAT_POSITION_COLUMNS>

/** Lists the positions of the places of one type on a floor. */
export const listSeatPositions = (
  { reads }: Call,
  { location, type }: { location: number; type: number },
): Promise<SeatPosition[]> =>
  rows.selectRows(
    reads,
    SEAT_POSITION_COLUMNS,
    `bookables WHERE location_id = $1 AND type = $2 AND deleted_at IS NULL ORDER BY id LIMIT ${SEATS_ON_MAP_MAX}`,
    [location, type],
  )
