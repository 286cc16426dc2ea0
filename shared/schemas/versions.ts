// The version of a resource: a hash of everything that one form of the dashboard replaces. The form contains the
// version from which it was filled, and Berth refuses a write with any version but the current one, so that nobody
// overwrites a change unnoticed. Workers and gateways compute the version with the same SQL, in which no value may
// depend on session settings.
import { mapTextFields, USER_TEXTS } from '../imports/user-columns.ts'
import { timestampText } from './json.ts'

// Shares are converted to whole numbers, so that a script on a page can compute the version of a position.
const SHARE_STEPS = 100_000
const stepsSql = (share: string) => `round(bookables.${share} * ${SHARE_STEPS})::int`

const USER_FIELDS_SQL = {
  ...mapTextFields(USER_TEXTS, (name) => `users.${name}`),
  email: 'users.email',
  extension_attributes: 'users.extension_attributes',
  groups: `ARRAY(
    SELECT groups.name FROM group_members JOIN groups ON groups.id = group_id
    WHERE group_members.user_id = users.id ORDER BY groups.id)`,
  license_plates:
    'ARRAY(SELECT license_plate FROM vehicles WHERE vehicles.user_id = users.id ORDER BY vehicles.id)',
}

const EVENT_FIELDS_SQL = {
  name: 'events.name',
  description: 'events.description',
  from: timestampText('lower(events.during)'),
  to: timestampText('upper(events.during)'),
  from_timezone: 'events.from_timezone',
  to_timezone: 'events.to_timezone',
  classification: 'events.classification',
  status: 'events.status',
  organizer_user_id: 'events.organizer_user_id',
  attendees: `ARRAY(
    SELECT coalesce(event_attendees.user_id::text, event_attendees.email) FROM event_attendees
    WHERE event_attendees.event_id = events.id ORDER BY event_attendees.id)`,
  bookables: `ARRAY(
    SELECT bookings.bookable_id FROM bookings WHERE bookings.event_id = events.id ORDER BY bookings.bookable_id)`,
}

const listColumns = <Name extends string>(table: string, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, `${table}.${name}`]))

const VERSION_CONTENTS = {
  buildings: { table: 'buildings', parts: listColumns('buildings', 'name', 'address', 'timezone') },
  locations: { table: 'locations', parts: listColumns('locations', 'name', 'code', 'building_id') },
  bookables: {
    table: 'bookables',
    parts: listColumns(
      'bookables',
      'name',
      'description',
      'type',
      'status',
      'tags',
      'capacity',
      'integration_email',
      'requires_vehicle',
      'location_id',
    ),
  },
  'building-rules': { table: 'buildings', parts: listColumns('buildings', 'rules') },
  'location-rules': { table: 'locations', parts: listColumns('locations', 'rules') },
  'bookable-rules': { table: 'bookables', parts: listColumns('bookables', 'rules') },
  positions: { table: 'bookables', parts: { x: stepsSql('position_x'), y: stepsSql('position_y') } },
  bookings: {
    table: 'bookings',
    parts: {
      from: timestampText('lower(bookings.during)'),
      to: timestampText('upper(bookings.during)'),
      vehicle_id: 'bookings.vehicle_id',
    },
  },
  events: { table: 'events', parts: EVENT_FIELDS_SQL },
  users: { table: 'users', parts: USER_FIELDS_SQL },
  webhooks: { table: 'webhooks', parts: listColumns('webhooks', 'url', 'description', 'types') },
}
export type VersionedResource = keyof typeof VERSION_CONTENTS

/** Returns the table that contentSql and versionSql read from. They use the table under its own name. */
export const getVersionedTable = (of: VersionedResource) => VERSION_CONTENTS[of].table

/** SQL for the content from which the version is computed as a hash. */
export function contentSql(of: VersionedResource): string {
  const members = Object.entries(VERSION_CONTENTS[of].parts).map(([name, sql]) => `'${name}', ${sql}`)
  return `jsonb_build_object(${members.join(', ')})`
}

export function versionSql(of: VersionedResource): string {
  if (of === 'positions') {
    const { x, y } = VERSION_CONTENTS.positions.parts
    const rotation = "coalesce(' ' || nullif(bookables.position_rotation, 0), '')"
    return `coalesce(${x} || ' ' || ${y} || ${rotation}, 'none')`
  }
  return `left(encode(sha256(convert_to(${contentSql(of)}::text, 'UTF8')), 'hex'), 32)`
}
