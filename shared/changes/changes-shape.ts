// Each resource as the change feed and webhooks show it: one object with everything that listings show of the resource.
// URLs are stored as paths; the code that sends a change adds the base URL.

import { absenceJson } from '../absences/absences-shape.ts'
import { bookableDetailsJson, bookableInBuildingJson } from '../bookables/bookables.ts'
import {
  BOOKING_REQUEST_ROWS_SQL,
  bookingRequestJson,
  IS_REQUEST_SQL,
} from '../booking-requests/booking-requests-shape.ts'
import { listedBookingJson } from '../bookings/bookings-shape.ts'
import { buildingJson } from '../buildings/buildings.ts'
import { EVENT_ROWS_SQL, todaysEventJson } from '../events/events-shape.ts'
import { loanJson } from '../loans/loans-shape.ts'
import { JOIN_BUILDINGS_SQL, locationInBuildingJson } from '../locations/locations.ts'
import { type JsonSql, json, rowJson } from '../schemas/json.ts'
import { isPersonSql } from '../users/unknown-organizer.ts'
import { groupJson, userJson } from '../users/users.ts'
import { actorSchema, changeSchema, webhookMessageSchema } from '../webhooks/changes.ts'

/** `json` reads from `rows`. `condition` selects the rows that the API shows at all. */
type ChangedShape = { type: string; json: JsonSql<object>; rows: string; condition: string }

/** Keyed by the name of the table, which is also the resource's name in the audit log. */
export const CHANGED_SHAPES = {
  bookings: {
    type: 'booking',
    json: listedBookingJson(undefined, {
      bookable: bookableInBuildingJson,
      user: userJson,
    }),
    rows: `bookings
      JOIN users ON users.id = bookings.user_id
      JOIN bookables ON bookables.id = bookings.bookable_id ${JOIN_BUILDINGS_SQL}`,
    condition: 'true',
  },
  booking_requests: {
    type: 'booking_request',
    json: bookingRequestJson,
    rows: BOOKING_REQUEST_ROWS_SQL,
    condition: IS_REQUEST_SQL,
  },
  events: { type: 'event', json: todaysEventJson, rows: EVENT_ROWS_SQL, condition: 'true' },
  bookables: {
    type: 'bookable',
    json: bookableDetailsJson,
    rows: `bookables ${JOIN_BUILDINGS_SQL}`,
    condition: 'bookables.deleted_at IS NULL',
  },
  locations: {
    type: 'location',
    json: locationInBuildingJson,
    rows: 'locations JOIN buildings ON buildings.id = locations.building_id',
    condition: 'true',
  },
  buildings: { type: 'building', json: buildingJson, rows: 'buildings', condition: 'true' },
  users: { type: 'user', json: userJson, rows: 'users', condition: isPersonSql() },
  absences: { type: 'absence', json: absenceJson, rows: 'absences', condition: 'true' },
  loans: { type: 'loan', json: loanJson, rows: 'loans', condition: 'true' },
  groups: { type: 'group', json: groupJson, rows: 'groups', condition: 'true' },
} satisfies Record<string, ChangedShape>

export type ChangedResource = keyof typeof CHANGED_SHAPES

/** SQL for the current JSON of the row with this id, or null if the API does not show the row. */
export function changedDataSql(resource: ChangedResource, id: string): string {
  const { json, rows, condition } = CHANGED_SHAPES[resource]
  return `(SELECT ${json} FROM ${rows} WHERE ${resource}.id = ${id} AND ${condition})`
}

/** SQL for a data column of a change, with the base URL inserted into its URLs. No user's text can contain
 * the replaced pattern, because quotes in texts are escaped. */
const insertBaseUrlSql = (column: string, baseUrl: string) =>
  `CASE WHEN changes.type = 'booking' THEN replace(${column}, '"livemap":"/',
    (SELECT '"livemap":' || left(base, -1) || '/' FROM CAST(to_json(${baseUrl}::text) AS text) AS base))
   ELSE ${column} END`

const createChangeMembers = (baseUrl: string) => ({
  id: 'changes.resource_id',
  timestamp: 'changes.at',
  actor: rowJson(actorSchema, 'changes', {
    type: 'changes.actor_type',
    id: 'changes.actor_id',
    name: 'changes.actor_name',
  }),
  data: json<Record<string, unknown> | null>(insertBaseUrlSql('changes.data', baseUrl)),
  previous: json<Record<string, unknown> | null>(insertBaseUrlSql('changes.previous', baseUrl)),
})

/** A row of the outbox as the change feed shows it. */
export const changeJson = (baseUrl: string) => rowJson(changeSchema, 'changes', createChangeMembers(baseUrl))

/** A row of the outbox as a webhook sends it. `type` is the type of the delivery. */
export const webhookMessageJson = (baseUrl: string, type: string) =>
  rowJson(webhookMessageSchema, 'changes', {
    ...createChangeMembers(baseUrl),
    type,
    action: `split_part(${type}, '.', 2)`,
  })
