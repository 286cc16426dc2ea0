// Creates the data for a sequence of writes, in the database and in the model: a separate location, bookables and
// people.

import { timestampText } from '../../shared/schemas/json.ts'
import { createProviderRoom } from '../support/dashboard/room-calendar-examples.ts'
import { createPersonalToken } from '../support/personal-tokens.ts'
import type { World } from '../support/world.ts'
import type { Bookable, State, User } from './state.ts'

const PLACE_ROWS = [
  { type: 0, status: 0, requires_vehicle: false },
  { type: 0, status: 0, requires_vehicle: false },
  { type: 2, status: 2, requires_vehicle: false },
  { type: 1, status: 0, requires_vehicle: true },
  { type: 1, status: 0, requires_vehicle: false },
  { type: 3, status: 0, requires_vehicle: false },
]

const CALENDAR_COUNT = 3

let counter = 0

export async function createStage({ database, url }: World): Promise<{ state: State; tokens: string[] }> {
  const stage = `stage${++counter}`
  const [building] = await database('buildings').insert({ name: stage }).returning('id')
  const place = { name: stage, code: 'S' }
  const [location] = await database('locations')
    .insert({ ...place, building_id: building.id })
    .returning('id')
  const users = await addUsers(database, stage)
  const bookables = await database('bookables')
    .insert(PLACE_ROWS.map((row, at) => ({ ...row, location_id: location.id, name: `${stage} ${at}` })))
    .returning(['id', 'name', 'type', 'status', 'requires_vehicle'])
  const [, , assigned] = bookables
  const [owner] = users
  await database('bookable_assignees').insert({ bookable_id: assigned.id, user_id: owner?.id })
  const [group] = await database('groups').insert({ name: stage }).returning('id')
  await database('group_members').insert({ group_id: group.id, user_id: owner?.id })
  const calendars = Array.from({ length: CALENDAR_COUNT }, (_, at) => `${stage}.${at}@rooms.example.com`)
  for (const calendar of calendars) await createProviderRoom(database, { calendar, name: calendar })
  const active = users.filter(({ isActive }) => isActive)
  const tokens = await Promise.all(active.map(({ id }) => createPersonalToken(database, id)))
  const state = {
    baseUrl: url,
    location: { id: location.id, ...place },
    rules: {},
    group: group.id,
    member: owner?.id,
    users,
    bookables: bookables.map(
      ({ id, name, type, status, requires_vehicle }): Bookable => ({
        id,
        name,
        description: null,
        type,
        status,
        tags: [],
        requiresVehicle: requires_vehicle,
        assignees: status === 2 && owner ? [owner.id] : [],
        loans: [],
        rules: {},
        calendar: null,
      }),
    ),
    bookings: [],
    events: [],
    absences: [],
    teamDays: [],
    calendars,
    leads: { users: [], anybody: false },
    series: [],
    eventSeries: [],
  }
  return { state, tokens }
}

// Creates two users with a vehicle each, and a deactivated user.
async function addUsers(database: World['database'], stage: string): Promise<User[]> {
  const rows = [null, null, new Date()].map((deactivated_at, at) => ({
    name: `${stage} ${at}`,
    email: `${stage}.${at}@example.com`,
    deactivated_at,
  }))
  const users = await database('users').insert(rows).returning(['id', 'name', 'email'])
  const plates = users.map(({ id, name }) => ({ user_id: id, license_plate: `P ${name}` }))
  const vehicles = await database('vehicles').insert(plates).returning('id')
  return users.map(({ id, name, email }, at) => ({
    id,
    name,
    email,
    isActive: at < 2,
    vehicle: vehicles[at].id,
    plate: `P ${name}`,
  }))
}

/** Reads the stage from the database, in the format of the model's state. */
export async function readStage({ database }: World, { location, users, group }: State): Promise<unknown> {
  const { rows } = await database.raw(
    `WITH places AS (SELECT * FROM bookables WHERE location_id = :location)
     SELECT json_build_object(
       'bookables', (
         SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'description', description,
           'status', status, 'tags', tags, 'loans', (
             SELECT coalesce(json_agg(json_build_object('id', loans.id, 'owner', user_id, 'from', lower(days),
               'to', upper(days) - 1) ORDER BY loans.id), '[]') FROM loans WHERE bookable_id = places.id
           ), 'calendar', (
             SELECT json_build_object('calendar', calendar, 'names', names) FROM room_calendars
             WHERE bookable_id = places.id AND NOT is_ending
           )) ORDER BY id), '[]')
         FROM places
       ),
       'bookings', (
         SELECT coalesce(json_agg(json_build_object('from', ${instant('lower', 'bookings')},
           'to', ${instant('upper', 'bookings')}, 'id', id, 'series', series_id, 'bookable', bookable_id, 'user', user_id,
           'guest', guest_name, 'vehicle', vehicle_id, 'plate', license_plate,
           'isCheckedIn', checked_in_at IS NOT NULL, 'opens', ${timestampText('check_in_from')}) ORDER BY id), '[]')
         FROM bookings WHERE event_id IS NULL AND bookable_id IN (SELECT id FROM places)
       ),
       'events', (
         SELECT coalesce(json_agg(json_build_object('id', id, 'from', ${instant('lower', 'events')},
           'to', ${instant('upper', 'events')}, 'organizer', organizer_user_id, 'name', name,
           'description', description, 'classification', classification, 'invites', invites, 'series', series_id,
           'isCancelled', status = 2,
           'people', (
             SELECT json_agg(json_build_object('id', coalesce(user_id, visitor_id), 'user', user_id, 'email', email, 'role', role,
               'status', status) ORDER BY id)
             FROM event_attendees WHERE event_id = events.id
           ),
           'rooms', (
             SELECT coalesce(json_agg(bookable_id ORDER BY bookable_id), '[]')
             FROM bookings WHERE event_id = events.id AND bookings.during = events.during
           )) ORDER BY id), '[]')
         FROM events WHERE organizer_user_id = ANY(:users)
       ),
       'absences', (
         SELECT coalesce(json_agg(json_build_object('id', id, 'user', user_id, 'from', lower(days), 'to', upper(days) - 1)
           ORDER BY id), '[]') FROM absences WHERE user_id = ANY(:users)
       ),
       'teamDays', (
         SELECT coalesce(json_agg(json_build_object('id', id, 'date', date, 'weekday', weekday, 'location', location_id,
           'note', note) ORDER BY id), '[]') FROM team_days WHERE group_id = :group
       ),
       'leads', (
         SELECT json_build_object('users', ARRAY(SELECT user_id FROM group_leads WHERE group_id = :group ORDER BY user_id),
           'anybody', anybody_names_team_days) FROM groups WHERE id = :group
       )) AS stage`,
    { location: location.id, users: users.map(({ id }) => id), group },
  )
  return rows[0].stage
}

/** Reads when bookings ended that ended since a moment: a write that ends a running booking ends it at its “now”. */
export async function readEnds(
  { database }: World,
  { bookables }: State,
  sinceMs: number,
): Promise<string[]> {
  const { rows } = await database.raw(
    `SELECT ${instant('upper', 'bookings')} AS "end" FROM bookings WHERE bookable_id = ANY(:ids) AND event_id IS NULL
       AND upper(during) >= :since AND upper(during) <= now()`,
    { ids: bookables.map(({ id }) => id), since: new Date(sinceMs) },
  )
  return rows.map(({ end }: { end: string }) => end)
}

/** Reads the ids of the bookings that a write inserted, in order. */
export async function readInsertedBookings({ database }: World, requestId: string): Promise<number[]> {
  return database('audit_log')
    .where({ request_id: requestId, action: 'bookings.create' })
    .orderBy('resource_id')
    .pluck('resource_id')
}

function instant(bound: 'lower' | 'upper', table: string): string {
  return `to_char(${bound}(${table}.during) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
