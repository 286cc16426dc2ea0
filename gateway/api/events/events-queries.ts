// Queries for events. The filters come first: $1 building, $2 location, $3 bookable, each null if not given.
// An event matches if one of its bookables does.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import {
  eventRows,
  listedEventJson,
  selectEvent,
  todaysEventJson,
} from '../../../shared/events/events-shape.ts'
import { prepareListing } from '../../http/listing.ts'

export const eventById = { name: 'find-event', text: selectEvent('$1') }

const whereGiven = (value: string, condition: string) => `(${value}::bigint IS NULL OR ${condition})`

const hasBookable = (condition: string) => `EXISTS (
  SELECT FROM bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  WHERE bookings.event_id = events.id AND ${condition})`

const filtered = [
  `events.status = ${EVENT_STATUSES.confirmed}`,
  whereGiven('$1', hasBookable('locations.building_id = $1')),
  whereGiven('$2', hasBookable('locations.id = $2')),
  whereGiven('$3', hasBookable('bookables.id = $3')),
].join(' AND ')

const parent = [
  whereGiven('$1', 'EXISTS (SELECT FROM buildings WHERE id = $1)'),
  whereGiven('$2', 'EXISTS (SELECT FROM locations WHERE id = $2)'),
  whereGiven('$3', 'EXISTS (SELECT FROM bookables WHERE id = $3 AND deleted_at IS NULL)'),
].join(' AND ')

const order = [
  { by: 'lower(events.during)', type: 'timestamptz' },
  { by: 'events.id', type: 'bigint' },
] as const

export const eventsBetween = prepareListing({
  name: 'events',
  item: listedEventJson,
  rows: `${eventRows} WHERE ${filtered} AND events.during && tstzrange($4, $5)`,
  order,
  parent,
})

// The day is local to a building: the requested one, or that of the location or the bookable.
const timezone = `(
  SELECT coalesce(buildings.timezone, 'UTC')
  FROM buildings
  WHERE buildings.id = coalesce(
    $1::bigint,
    (SELECT building_id FROM locations WHERE id = $2::bigint),
    (SELECT locations.building_id FROM bookables JOIN locations ON locations.id = bookables.location_id
     WHERE bookables.id = $3::bigint)))`

// Midnight is computed in local time, so that a day of 23 or 25 hours is a whole day.
const midnight = (days: number) =>
  `(date_trunc('day', $4::timestamptz AT TIME ZONE ${timezone}) + interval '${days} day') AT TIME ZONE ${timezone}`

export const eventsToday = prepareListing({
  name: 'events-today',
  item: todaysEventJson,
  rows: `${eventRows} WHERE ${filtered} AND events.during && tstzrange(${midnight(0)}, ${midnight(1)})`,
  order,
  parent,
})
