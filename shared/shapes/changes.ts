// Each resource as the change feed and webhooks show it: all that listings say of it, in one object. Addresses are paths
// here; whoever hands a change out puts the base address before them.

import type { Change } from '../contracts/integrations/changes.ts'
import { bookableDetailsJson, bookableInBuildingJson } from './bookables.ts'
import { listedBookingJson } from './bookings.ts'
import { buildingJson } from './buildings.ts'
import { eventRows, todaysEventJson } from './events.ts'
import { groupJson } from './groups.ts'
import { type JsonSql, json, number, objectJson, text, timestamp } from './json.ts'
import { locationInBuildingJson } from './locations.ts'
import { userJson } from './users.ts'

/** `rows` is what the JSON reads from; `condition` says which of them the API shows at all. */
type ChangedShape = { type: string; json: JsonSql<object>; rows: string; condition: string }

const WITH_BUILDING = `
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id`

/** By the table that the audit log calls the resource by. */
export const CHANGED_SHAPES = {
  bookings: {
    type: 'booking',
    json: listedBookingJson("''", {
      bookable: bookableInBuildingJson('bookables', 'locations', 'buildings'),
      user: userJson('users'),
    }),
    rows: `bookings
      JOIN users ON users.id = bookings.user_id
      JOIN bookables ON bookables.id = bookings.bookable_id ${WITH_BUILDING}`,
    condition: 'true',
  },
  events: { type: 'event', json: todaysEventJson, rows: eventRows, condition: 'true' },
  bookables: {
    type: 'bookable',
    json: bookableDetailsJson('bookables', 'locations', 'buildings'),
    rows: `bookables ${WITH_BUILDING}`,
    condition: 'bookables.deleted_at IS NULL',
  },
  locations: {
    type: 'location',
    json: locationInBuildingJson('locations', 'buildings'),
    rows: 'locations JOIN buildings ON buildings.id = locations.building_id',
    condition: 'true',
  },
  buildings: { type: 'building', json: buildingJson('buildings'), rows: 'buildings', condition: 'true' },
  users: { type: 'user', json: userJson('users'), rows: 'users', condition: 'NOT users.is_anonymous' },
  groups: { type: 'group', json: groupJson('groups'), rows: 'groups', condition: 'true' },
} satisfies Record<string, ChangedShape>

export type ChangedResource = keyof typeof CHANGED_SHAPES

export function isChangedResource(resource: string): resource is ChangedResource {
  return Object.hasOwn(CHANGED_SHAPES, resource)
}

/** SQL: the finished JSON of the row with this id as it is now, or null where the API shows none. */
export function changedDataSql(resource: ChangedResource, id: string): string {
  const { json, rows, condition } = CHANGED_SHAPES[resource]
  return `(SELECT ${json} FROM ${rows} WHERE ${resource}.id = ${id} AND ${condition})`
}

/** The stored data with whole addresses. A text of somebody's never has this: its quotes are escaped. */
export const dataWithBase = (baseUrl: string) =>
  `CASE WHEN changes.type = 'booking' THEN replace(changes.data, '"livemap":"/',
    (SELECT '"livemap":' || left(base, -1) || '/' FROM CAST(to_json(${baseUrl}::text) AS text) AS base))
   ELSE changes.data END`

/** A row of the outbox as the feed shows it. */
export const changeJson = (baseUrl: string) =>
  objectJson<Change>({
    sequence: number('changes.sequence'),
    at: timestamp('changes.at'),
    type: text('changes.type'),
    action: text('changes.action'),
    id: number('changes.resource_id'),
    data: json(dataWithBase(baseUrl)),
    actor: objectJson<Change['actor']>({
      type: text('changes.actor_type'),
      id: number<number | null>('changes.actor_id'),
      name: text('changes.actor_name'),
    }),
    request_id: text('changes.request_id'),
  })
