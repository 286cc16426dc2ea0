// The version of a resource: a hash of everything that one form of the dashboard replaces. The form carries
// the version that it was filled from; a write of any version but the present one is refused, so that no
// change is lost unnoticed. Workers and gateway compute it with the same SQL, in which no value may depend on
// session settings.
import { eachText, USER_TEXTS } from '../imports/user-columns.ts'
import { timestampText } from './json.ts'

// Written as whole numbers, so that a script can compute the version of the position that it has shown.
const SHARE = 100_000
const steps = (share: string) => `round(bookables.${share} * ${SHARE})::int`

const users = {
  ...eachText(USER_TEXTS, (name) => `users.${name}`),
  email: 'users.email',
  extension_attributes: 'users.extension_attributes',
  groups: `ARRAY(
    SELECT groups.name FROM group_members JOIN groups ON groups.id = group_id
    WHERE group_members.user_id = users.id ORDER BY groups.id)`,
  license_plates:
    'ARRAY(SELECT license_plate FROM vehicles WHERE vehicles.user_id = users.id ORDER BY vehicles.id)',
}

const events = {
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

const columns = <Name extends string>(table: string, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, `${table}.${name}`]))

const CONTENTS = {
  buildings: { table: 'buildings', parts: columns('buildings', 'name', 'address', 'timezone') },
  locations: { table: 'locations', parts: columns('locations', 'name', 'code', 'building_id') },
  bookables: {
    table: 'bookables',
    parts: columns(
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
  'building-rules': { table: 'buildings', parts: columns('buildings', 'rules') },
  'location-rules': { table: 'locations', parts: columns('locations', 'rules') },
  'bookable-rules': { table: 'bookables', parts: columns('bookables', 'rules') },
  positions: { table: 'bookables', parts: { x: steps('position_x'), y: steps('position_y') } },
  bookings: {
    table: 'bookings',
    parts: {
      from: timestampText('lower(bookings.during)'),
      to: timestampText('upper(bookings.during)'),
      vehicle_id: 'bookings.vehicle_id',
    },
  },
  events: { table: 'events', parts: events },
  users: { table: 'users', parts: users },
}
export type Versioned = keyof typeof CONTENTS

/** The table that the functions below read from, under its own name. */
export const versionedTable = (of: Versioned) => CONTENTS[of].table

/** The content that the version is a hash of. */
export function contentSql(of: Versioned): string {
  const members = Object.entries(CONTENTS[of].parts).map(([name, sql]) => `'${name}', ${sql}`)
  return `jsonb_build_object(${members.join(', ')})`
}

export function versionSql(of: Versioned): string {
  if (of === 'positions') {
    const { x, y } = CONTENTS.positions.parts
    const rotation = "coalesce(' ' || nullif(bookables.position_rotation, 0), '')"
    return `coalesce(${x} || ' ' || ${y} || ${rotation}, 'none')`
  }
  return `left(encode(sha256(convert_to(${contentSql(of)}::text, 'UTF8')), 'hex'), 32)`
}
