// Queries for the calendars of rooms: the providers, their rooms beside Berth's, and entries that have no room in Berth.
import type pg from 'pg'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import type { Message } from '../../../../shared/messages/message.ts'
import type { ShownNames } from '../../../../shared/people/shown-names.ts'
import type { CalendarProviderName } from '../../../../shared/room-calendars/room-calendars.ts'
import {
  IS_ENTRY_FAULTY_SQL,
  IS_IN_STEP_SQL,
  IS_PROVIDER_SET_SQL,
} from '../../../../shared/room-calendars/room-calendars-shape.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import {
  column,
  createSpanColumns,
  flagColumn,
  instantColumn,
  JOIN_PLACES,
  nullableColumn,
  numberColumn,
  PLACE_COLUMNS,
  type RowOf,
  SqlConditions,
  selectRow,
  selectRows,
  selectSlice,
  textColumn,
} from '../../../reads/rows/rows.ts'
import type { Slice } from '../../../reads/rows/slices.ts'

const PROVIDER_COLUMNS = {
  provider: column<CalendarProviderName>('calendar_providers.provider'),
  isSet: flagColumn(IS_PROVIDER_SET_SQL),
  rooms: numberColumn(
    '(SELECT count(*)::int FROM provider_rooms WHERE provider_rooms.provider = calendar_providers.provider)',
  ),
  listedAt: nullableColumn(instantColumn('calendar_providers.rooms_listed_at')),
  fault: nullableColumn(column<Message>('calendar_providers.fault')),
  faultSince: nullableColumn(instantColumn('calendar_providers.fault_since')),
  linked: numberColumn('linked.number'),
  inStep: numberColumn('linked.in_step'),
}
export type ProviderRow = RowOf<typeof PROVIDER_COLUMNS>

export const listProviders = (reads: pg.Pool): Promise<ProviderRow[]> =>
  selectRows(
    reads,
    PROVIDER_COLUMNS,
    `calendar_providers, LATERAL (
       SELECT count(*)::int AS number, count(*) FILTER (WHERE ${IS_IN_STEP_SQL})::int AS in_step
       FROM room_calendars WHERE room_calendars.provider = calendar_providers.provider AND NOT is_ending) AS linked
     WHERE ${IS_PROVIDER_SET_SQL} OR linked.number > 0 ORDER BY calendar_providers.provider DESC`,
  )

// The rooms that providers list, and the linked calendars that no provider lists any more.
const ALL_ROOMS_SQL = `(
  SELECT provider, calendar, address, name, capacity FROM provider_rooms
  UNION ALL
  SELECT provider, calendar, NULL, calendar, NULL FROM room_calendars WHERE NOT is_ending AND NOT EXISTS (
    SELECT FROM provider_rooms
    WHERE provider_rooms.provider = room_calendars.provider AND provider_rooms.calendar = room_calendars.calendar)
)`

// Finds the room in Berth that probably matches each unlinked room of a provider: the one with the same address, or else the
// only meeting room with the same name and no other capacity. A provider that has settings comes first. Two joins by equality stay
// fast with many rooms.
const MATCHES_SQL = `(
  WITH open_rooms AS (
    SELECT provider, calendar, coalesce(address, calendar) AS address, name, capacity FROM provider_rooms
    WHERE NOT EXISTS (SELECT FROM room_calendars
      WHERE room_calendars.provider = provider_rooms.provider AND room_calendars.calendar = provider_rooms.calendar AND NOT is_ending)
  ), free AS (
    SELECT id, name, capacity, type, integration_email FROM bookables
    WHERE deleted_at IS NULL AND type <> ${BOOKABLE_TYPES.homeOffice}
      AND NOT EXISTS (SELECT FROM room_calendars WHERE bookable_id = bookables.id AND NOT is_ending)
  ), candidates AS (
    SELECT provider, calendar, free.id, 0 AS rank FROM open_rooms JOIN free ON lower(integration_email) = lower(address)
    UNION ALL
    SELECT provider, calendar, free.id, CASE WHEN open_rooms.capacity = free.capacity THEN 1 ELSE 2 END
    FROM open_rooms JOIN free ON lower(btrim(free.name)) = lower(btrim(open_rooms.name))
    WHERE free.type = ${BOOKABLE_TYPES.meetingRoom} AND coalesce(open_rooms.capacity = free.capacity, true)
  ), best AS (
    SELECT provider, calendar, min(id) AS id, min(rank) AS rank FROM (
      SELECT candidates.*, rank() OVER (PARTITION BY provider, calendar ORDER BY rank) AS place FROM candidates) AS ranked
    WHERE place = 1 GROUP BY provider, calendar HAVING count(DISTINCT id) = 1
  )
  SELECT DISTINCT ON (id) provider, calendar, id FROM best
  ORDER BY id, provider IN (SELECT calendar_providers.provider FROM calendar_providers WHERE ${IS_PROVIDER_SET_SQL}) DESC,
    rank, provider, calendar
)`

const ROOM_ROWS_SQL = `${ALL_ROOMS_SQL} AS rooms
  LEFT JOIN room_calendars ON room_calendars.provider = rooms.provider AND room_calendars.calendar = rooms.calendar
    AND NOT room_calendars.is_ending
  LEFT JOIN ${MATCHES_SQL} AS matches ON matches.provider = rooms.provider AND matches.calendar = rooms.calendar
  LEFT JOIN bookables ON bookables.id = coalesce(room_calendars.bookable_id, matches.id)
  LEFT JOIN locations ON locations.id = bookables.location_id`

const ROOM_COLUMNS = {
  provider: column<CalendarProviderName>('rooms.provider'),
  calendar: textColumn('rooms.calendar'),
  name: textColumn('rooms.name'),
  capacity: nullableColumn(numberColumn('rooms.capacity')),
  isLinked: flagColumn('room_calendars.bookable_id IS NOT NULL'),
  isInStep: flagColumn(`coalesce(${IS_IN_STEP_SQL}, false)`),
  hasBeenInStep: flagColumn('room_calendars.in_step_at IS NOT NULL'),
  fault: nullableColumn(column<Message>('room_calendars.fault')),
  /** The room in Berth: the linked one, or the one that probably matches. */
  bookableId: nullableColumn(numberColumn('bookables.id')),
  bookable: nullableColumn(textColumn('bookables.name')),
  location: nullableColumn(textColumn('locations.name')),
}
export type RoomRow = RowOf<typeof ROOM_COLUMNS>

export const ROOM_STATES = ['linked', 'behind', 'matching', 'missing'] as const
const STATE_CONDITIONS: Record<(typeof ROOM_STATES)[number], string> = {
  linked: 'room_calendars.bookable_id IS NOT NULL',
  behind: `room_calendars.bookable_id IS NOT NULL AND NOT ${IS_IN_STEP_SQL}`,
  matching: 'matches.id IS NOT NULL',
  missing: 'bookables.id IS NULL',
}

type RoomSearch = { search?: string | undefined; state?: (typeof ROOM_STATES)[number] | undefined }

export function listProviderRooms(reads: pg.Pool, { search, state }: RoomSearch, slice: Slice) {
  const conditions = new SqlConditions()
  if (state) conditions.add(`(${STATE_CONDITIONS[state]})`)
  conditions.addSearch(search, ['rooms.name', 'rooms.calendar', 'bookables.name'])
  return selectSlice(reads, ROOM_COLUMNS, `${ROOM_ROWS_SQL} WHERE ${conditions.sql}`, slice, {
    values: conditions.values,
    orderBy: `${naturalSql('rooms.name')}, rooms.provider, rooms.calendar`,
  })
}

export const findProviderRoom = (reads: pg.Pool, provider: string, calendar: string) =>
  selectRow(reads, ROOM_COLUMNS, `${ROOM_ROWS_SQL} WHERE rooms.provider = $1 AND rooms.calendar = $2`, [
    provider,
    calendar,
  ])

/** Lists the rooms of a provider that Berth has no room for. */
export const listMissingRooms = (reads: pg.Pool, provider: CalendarProviderName, limit: number) =>
  selectRows(
    reads,
    ROOM_COLUMNS,
    `${ROOM_ROWS_SQL} WHERE rooms.provider = $1 AND ${STATE_CONDITIONS.missing}
     ORDER BY ${naturalSql('rooms.name')}, rooms.calendar LIMIT ${limit}`,
    [provider],
  )

const MATCH_COLUMNS = {
  provider: column<CalendarProviderName>('matches.provider'),
  calendar: textColumn('matches.calendar'),
  bookableId: numberColumn('matches.id'),
}

// The rooms of a provider stay listed for a while after the last process with its settings, and can then not be linked.
const LINKABLE_MATCHES_SQL = `${MATCHES_SQL} AS matches JOIN calendar_providers
  ON calendar_providers.provider = matches.provider AND ${IS_PROVIDER_SET_SQL}`

/** Lists the rooms to link at once, of providers that have settings. */
export const listMatches = (reads: pg.Pool) =>
  selectRows(reads, MATCH_COLUMNS, `${LINKABLE_MATCHES_SQL} ORDER BY matches.provider, matches.id`)

// The entries that the page of conflicts shows.
const CONFLICTS_FROM = `calendar_entries JOIN room_calendars ON room_calendars.bookable_id = calendar_entries.bookable_id
  JOIN bookables ON bookables.id = calendar_entries.bookable_id`
const IS_CONFLICT_SQL = `(NOT room_calendars.is_ending AND NOT room_calendars.is_clearing
  AND ((conflict IS NOT NULL AND upper(calendar_entries.during) > now()) OR calendar_entries.fault IS NOT NULL))`

const COUNT_COLUMNS = {
  matching: numberColumn(`(SELECT count(*)::int FROM ${LINKABLE_MATCHES_SQL})`),
  conflicts: numberColumn(`(SELECT count(*)::int FROM ${CONFLICTS_FROM} WHERE ${IS_CONFLICT_SQL})`),
}

export async function countRooms(reads: pg.Pool) {
  const found = await selectRow(reads, COUNT_COLUMNS, '(SELECT) AS nothing')
  return found ?? { matching: 0, conflicts: 0 }
}

const OPTION_COLUMNS = {
  id: numberColumn('bookables.id'),
  name: textColumn('bookables.name'),
  location: textColumn('locations.name'),
  building: textColumn('buildings.name'),
}

/** Lists the rooms that can be linked: those without a calendar. */
export const listLinkableRooms = (reads: pg.Pool, limit: number) =>
  selectRows(
    reads,
    OPTION_COLUMNS,
    `bookables ${JOIN_PLACES}
     WHERE bookables.deleted_at IS NULL AND bookables.type = ${BOOKABLE_TYPES.meetingRoom}
       AND NOT EXISTS (SELECT FROM room_calendars WHERE bookable_id = bookables.id AND NOT is_ending)
     ORDER BY ${naturalSql('bookables.name')}, bookables.id LIMIT ${limit}`,
  )

const LINK_COLUMNS = {
  id: numberColumn('bookables.id'),
  name: textColumn('bookables.name'),
  provider: column<CalendarProviderName>('room_calendars.provider'),
  calendar: textColumn('room_calendars.calendar'),
  names: column<ShownNames>('room_calendars.names'),
  isInStep: flagColumn(IS_IN_STEP_SQL),
  inStepAt: nullableColumn(instantColumn('room_calendars.in_step_at')),
  linkedAt: instantColumn('room_calendars.linked_at'),
  fault: nullableColumn(column<Message>('room_calendars.fault')),
  faultSince: nullableColumn(instantColumn('room_calendars.fault_since')),
  faultyEntries: numberColumn(`(SELECT count(*)::int FROM calendar_entries
    WHERE calendar_entries.bookable_id = bookables.id AND ${IS_ENTRY_FAULTY_SQL}
      AND NOT room_calendars.is_clearing)`),
  conflicts: numberColumn(`(SELECT count(*)::int FROM calendar_entries
    WHERE calendar_entries.bookable_id = bookables.id AND conflict IS NOT NULL AND upper(during) > now()
      AND NOT room_calendars.is_clearing)`),
}
export type LinkRow = RowOf<typeof LINK_COLUMNS>

export const findLink = (reads: pg.Pool, bookableId: number) =>
  selectRow(
    reads,
    LINK_COLUMNS,
    `room_calendars JOIN bookables ON bookables.id = room_calendars.bookable_id
     WHERE bookables.id = $1 AND bookables.deleted_at IS NULL AND NOT is_ending`,
    [bookableId],
  )

type FreeRoom = { id: number; name: string }

const CONFLICT_COLUMNS = {
  ...createSpanColumns('calendar_entries'),
  id: numberColumn('calendar_entries.id'),
  bookableId: numberColumn('bookables.id'),
  bookable: textColumn('bookables.name'),
  ...PLACE_COLUMNS,
  provider: column<CalendarProviderName>('room_calendars.provider'),
  // Only the people in a private entry may know what it is about.
  title: nullableColumn(
    textColumn("CASE WHEN NOT (seen ->> 'isPrivate')::boolean THEN nullif(seen ->> 'title', '') END"),
  ),
  who: nullableColumn(
    textColumn(`CASE WHEN NOT (seen ->> 'isPrivate')::boolean
      THEN coalesce(seen #>> '{organizer,name}', seen #>> '{organizer,address}') END`),
  ),
  eventId: nullableColumn(numberColumn('calendar_entries.event_id')),
  bookingId: nullableColumn(numberColumn('calendar_entries.booking_id')),
  reason: nullableColumn(column<Message>("conflict -> 'message'")),
  freeRooms: column<FreeRoom[]>("coalesce(conflict -> 'free_rooms', '[]')"),
  decline: nullableColumn(column<'declined' | 'impossible'>('decline')),
  fault: nullableColumn(column<Message>('calendar_entries.fault')),
}
export type ConflictRow = RowOf<typeof CONFLICT_COLUMNS>

export const listConflicts = (reads: pg.Pool, slice: Slice) =>
  selectSlice(reads, CONFLICT_COLUMNS, `${CONFLICTS_FROM} ${JOIN_PLACES} WHERE ${IS_CONFLICT_SQL}`, slice, {
    orderBy: 'lower(calendar_entries.during), calendar_entries.id',
  })
