// A stage for one sequence of writes: a location, bookables and people of its own, as rows and as the model's state.

import { timestampText } from '../../shared/schemas/json.ts'
import type { World } from '../support/world.ts'
import type { Bookable, State, User } from './state.ts'

const PLACES = [
  { type: 0, status: 0, requires_vehicle: false },
  { type: 0, status: 0, requires_vehicle: false },
  { type: 2, status: 2, requires_vehicle: false },
  { type: 1, status: 0, requires_vehicle: true },
  { type: 1, status: 0, requires_vehicle: false },
  { type: 3, status: 0, requires_vehicle: false },
]

let counter = 0

export async function setStage({ database, url }: World): Promise<State> {
  const stage = `stage${++counter}`
  const [building] = await database('buildings').insert({ name: stage }).returning('id')
  const place = { name: stage, code: 'S' }
  const [location] = await database('locations')
    .insert({ ...place, building_id: building.id })
    .returning('id')
  const users = await addUsers(database, stage)
  const bookables = await database('bookables')
    .insert(PLACES.map((row, at) => ({ ...row, location_id: location.id, name: `${stage} ${at}` })))
    .returning(['id', 'name', 'type', 'status', 'requires_vehicle'])
  const [, , assigned] = bookables
  const [owner] = users
  await database('bookable_assignees').insert({ bookable_id: assigned.id, user_id: owner?.id })
  const [group] = await database('groups').insert({ name: stage }).returning('id')
  await database('group_members').insert({ group_id: group.id, user_id: owner?.id })
  return {
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
        rules: {},
      }),
    ),
    bookings: [],
    events: [],
    series: [],
  }
}

// Two who may book, with a vehicle each, and one who has been deactivated.
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

/** The stage as the database has it, in the form of the model's own picture. */
export async function photograph({ database }: World, { location, users }: State): Promise<unknown> {
  const { rows } = await database.raw(
    `WITH places AS (SELECT * FROM bookables WHERE location_id = :location)
     SELECT json_build_object(
       'bookables', (
         SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'description', description,
           'status', status, 'tags', tags) ORDER BY id), '[]')
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
           'description', description, 'classification', classification,
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
       )) AS photograph`,
    { location: location.id, users: users.map(({ id }) => id) },
  )
  return rows[0].photograph
}

function instant(bound: 'lower' | 'upper', table: string): string {
  return `to_char(${bound}(${table}.during) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
