// The resources of the interface (part 2), and their shapes in its endpoints (part 4).
import {
  absent,
  anything,
  flag,
  integer,
  isObject,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  type Shape,
  text,
  timestamp,
  uuid,
} from './shapes.ts'

const extensionAttributes: Shape = (value, path) => {
  const problems = object({})(value, path)
  for (const [name, each] of Object.entries(value ?? {})) {
    if (!/^extensionAttribute\d+$/.test(name)) problems.push(`${path} has the key ${name}`)
    if (typeof each !== 'string') problems.push(`${path}.${name} is not a string`)
  }
  return problems
}

export const user = object({ id: integer, name: text, email: text, extensionAttributes })
export const group = object({ id: integer, name: text })
export const location = { id: integer, name: text, code: text }
export const building = object({
  id: integer,
  name: text,
  address: text,
  locations: listOf(object(location)),
})

const summary = { id: integer, name: text, type: oneOf(0, 1, 2, 3), status: oneOf(0, 1, 2) }
const inLocation = object({ ...location, building: absent })
const inBuilding = object({ ...location, building: object({ id: integer, name: text, address: text }) })
export const taggedBookable = object({ ...summary, tags: listOf(text) })

const nullableSpan = nullable(object({ from_time: timestamp, to_time: nullable(timestamp) }))
const entry = { id: uuid, location_name: text, type: oneOf(0, 1, 2, 3), name: text, occupied: flag }
export const occupancy = object({ ...entry, booking_current: absent, booking_next: absent })
export const detailedOccupancy = object({
  ...entry,
  booking_current: nullableSpan,
  booking_next: nullableSpan,
})

const when = (url: string) => ({
  id: integer,
  from: timestamp,
  to: nullable(timestamp),
  livemap: livemap(url),
})

const livemap =
  (url: string): Shape =>
  (value, path) =>
    typeof value === 'string' && new RegExp(`^${escapeRegExp(url)}/api/v1/bookings/\\d+/livemap$`).test(value)
      ? []
      : [`${path} is ${value}, not ${url}/api/v1/bookings/<booking_id>/livemap`]

const escapeRegExp = (value: string) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const guestFields = { guest: nullable(text), license_plate: optional(nullable(text)) }

/** The shape of a booking in each listing. */
export const bookings = (url: string) => ({
  ofUser: object({
    ...when(url),
    ...guestFields,
    bookable: object({ ...summary, location: inBuilding }),
    user: absent,
  }),
  inBuilding: object({
    ...when(url),
    ...guestFields,
    bookable: object({ ...summary, location: inLocation }),
    user,
  }),
  inLocation: object({
    ...when(url),
    ...guestFields,
    bookable: object({ ...summary, location: absent }),
    user,
  }),
  ofBookable: object({ ...when(url), ...guestFields, bookable: absent, user }),
  all: object({ ...when(url), ...guestFields, bookable: object({ ...summary, location: inBuilding }), user }),
  written: object({ ...when(url), bookable: object({ ...summary, location: object(location) }), user }),
})

const attendee = object({ id: integer, name: text, email: text, role: integer, status: integer })
const eventBookable = object({
  id: integer,
  name: text,
  tags: listOf(text),
  capacity: integer,
  integration_email: text,
})
const eventSummary = {
  id: integer,
  name: text,
  from: timestamp,
  to: timestamp,
  organizer: object({ name: text }),
  bookables: listOf(eventBookable),
}
const state = {
  classification: oneOf(0, 1, 2, 3),
  status: oneOf(1, 2),
  attendees: listOf(attendee),
}
export const listedEvent = object({
  ...eventSummary,
  classification: absent,
  status: absent,
  attendees: absent,
})
export const event = object({ ...eventSummary, ...state })
export const todaysEvent = object({
  ...eventSummary,
  ...state,
  description: text,
  from_timezone: text,
  to_timezone: text,
})

const rows = listOf(integer)
const messages: Shape = (value, path) => {
  if (!isObject(value)) return [`${path} is not an object`]
  return Object.entries(value).flatMap(([row, columns]) =>
    isObject(columns)
      ? Object.entries(columns).flatMap(([column, each]) => listOf(text)(each, `${path}.${row}.${column}`))
      : [`${path}.${row} is not an object`],
  )
}
export const importResult = object({
  dryRun: flag,
  created: rows,
  updated: rows,
  deleted: integer,
  skipped: rows,
  errors: rows,
  errorMessages: messages,
  rows: integer,
  filename: text,
})

// Berth's additions to the interface.
const detailedAttendee = object({ type: oneOf('user', 'visitor'), user_id: nullable(integer) })
export const detailedEvent = object({
  description: anything,
  from_timezone: text,
  to_timezone: text,
  organizer: object({ id: integer, name: text }),
  attendees: listOf(detailedAttendee),
  series_id: nullable(integer),
})
export const position = object({
  x: anything,
  y: anything,
  width: anything,
  height: anything,
  rotation: anything,
})
export const placed = { id: integer, name: text, timezone: text, opening_hours: anything }
export const vehicle = object({ id: integer, license_plate: text })
export const times = object({ user_id: integer, taken: listOf(object({ from: timestamp, to: timestamp })) })
