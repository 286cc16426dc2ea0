// Each resource as the change feed and webhooks show it: everything that listings show of it, in one object.
// Addresses are paths here; code that sends a change puts the base address before them.

import { bookableDetailsJson, bookableInBuildingJson } from '../bookables/bookables.ts'
import {
  bookingRequestJson,
  bookingRequestRows,
  IS_REQUEST,
} from '../booking-requests/booking-requests-shape.ts'
import { listedBookingJson } from '../bookings/bookings-shape.ts'
import { buildingJson } from '../buildings/buildings.ts'
import { eventRows, todaysEventJson } from '../events/events-shape.ts'
import { locationInBuildingJson, WITH_BUILDINGS } from '../locations/locations.ts'
import { type JsonSql, json, rowJson } from '../schemas/json.ts'
import { groupJson, userJson } from '../users/users.ts'
import { actorSchema, changeSchema, webhookMessageSchema } from '../webhooks/changes.ts'

/** `rows` is what the JSON reads from; `condition` says which of them the API shows at all. */
type ChangedShape = { type: string; json: JsonSql<object>; rows: string; condition: string }

/** By table, the name of the resource in the audit log. */
export const CHANGED_SHAPES = {
  bookings: {
    type: 'booking',
    json: listedBookingJson("''", {
      bookable: bookableInBuildingJson,
      user: userJson,
    }),
    rows: `bookings
      JOIN users ON users.id = bookings.user_id
      JOIN bookables ON bookables.id = bookings.bookable_id ${WITH_BUILDINGS}`,
    condition: 'true',
  },
  booking_requests: {
    type: 'booking_request',
    json: bookingRequestJson,
    rows: bookingRequestRows,
    condition: IS_REQUEST,
  },
  events: { type: 'event', json: todaysEventJson, rows: eventRows, condition: 'true' },
  bookables: {
    type: 'bookable',
    json: bookableDetailsJson,
    rows: `bookables ${WITH_BUILDINGS}`,
    condition: 'bookables.deleted_at IS NULL',
  },
  locations: {
    type: 'location',
    json: locationInBuildingJson,
    rows: 'locations JOIN buildings ON buildings.id = locations.building_id',
    condition: 'true',
  },
  buildings: { type: 'building', json: buildingJson, rows: 'buildings', condition: 'true' },
  users: { type: 'user', json: userJson, rows: 'users', condition: 'NOT users.is_anonymous' },
  groups: { type: 'group', json: groupJson, rows: 'groups', condition: 'true' },
} satisfies Record<string, ChangedShape>

export type ChangedResource = keyof typeof CHANGED_SHAPES

/** SQL: the finished JSON of the row with this id as it is now, or null if the API does not show it. */
export function changedDataSql(resource: ChangedResource, id: string): string {
  const { json, rows, condition } = CHANGED_SHAPES[resource]
  return `(SELECT ${json} FROM ${rows} WHERE ${resource}.id = ${id} AND ${condition})`
}

/**
 * SQL: a data column of a change, with complete addresses. No user's text can contain this pattern, because
 * its quotes are escaped.
 */
const withBase = (column: string, baseUrl: string) =>
  `CASE WHEN changes.type = 'booking' THEN replace(${column}, '"livemap":"/',
    (SELECT '"livemap":' || left(base, -1) || '/' FROM CAST(to_json(${baseUrl}::text) AS text) AS base))
   ELSE ${column} END`

const members = (baseUrl: string) => ({
  id: 'changes.resource_id',
  timestamp: 'changes.at',
  actor: rowJson(actorSchema, 'changes', {
    type: 'changes.actor_type',
    id: 'changes.actor_id',
    name: 'changes.actor_name',
  }),
  data: json<Record<string, unknown> | null>(withBase('changes.data', baseUrl)),
  previous: json<Record<string, unknown> | null>(withBase('changes.previous', baseUrl)),
})

/** A row of the outbox as the feed shows it. */
export const changeJson = (baseUrl: string) => rowJson(changeSchema, 'changes', members(baseUrl))

/** The same as sent to a webhook, under the type of the delivery. */
export const webhookMessageJson = (baseUrl: string, type: string) =>
  rowJson(webhookMessageSchema, 'changes', {
    ...members(baseUrl),
    type,
    action: `split_part(${type}, '.', 2)`,
  })
