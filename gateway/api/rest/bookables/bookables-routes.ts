// Bookables over HTTP.
import { claimsAt, momentSql } from '../../../../shared/affected-bookings/claims.ts'
import {
  bookableChangesSchema,
  bookableDeletionQuery,
  newBookableSchema,
} from '../../../../shared/bookables/bookable-inputs.ts'
import {
  fullBookableSchema,
  selectBookable,
  taggedBookableJson,
} from '../../../../shared/bookables/bookables.ts'
import { bookingOfBookableSchema } from '../../../../shared/bookings/bookings.ts'
import { message } from '../../../../shared/messages/message.ts'
import {
  flag,
  json,
  jsonWhere,
  number,
  objectJson,
  text,
  timestamp,
  uuid,
} from '../../../../shared/schemas/json.ts'
import { list, read, resource, write } from '../../../server/http/endpoint.ts'
import { prepareListing } from '../../../server/http/listing.ts'
import { bookingsOfBookable, inRange } from '../bookings/bookings-queries.ts'

export const bookableById = { name: 'find-bookable', text: selectBookable('$1') }

const inLocation = {
  order: { 'bookables.id': 'bigint' } as const,
  parent: 'EXISTS (SELECT FROM locations WHERE id = $1)',
}

export const bookablesOfLocation = prepareListing({
  ...inLocation,
  name: 'bookables-of-location',
  item: taggedBookableJson,
  rows: 'bookables WHERE bookables.location_id = $1 AND bookables.deleted_at IS NULL',
})

const span = (claim: string) =>
  jsonWhere(
    `${claim}.during IS NOT NULL`,
    objectJson({
      from_time: timestamp(`lower(${claim}.during)`),
      to_time: timestamp(`upper(${claim}.during)`),
    }),
  )

const entry = {
  id: uuid('bookables.uuid'),
  location_name: json<string>('locations.name'),
  type: number('bookables.type'),
  name: text('bookables.name'),
  occupied: flag('present.during IS NOT NULL'),
}

const NOW = momentSql('$2')

const PRESENT = `
  SELECT claims.during FROM (${claimsAt(NOW)}) AS claims ORDER BY lower(claims.during), claims.id LIMIT 1`

const NEXT = `
  SELECT bookings.during
  FROM bookings
  WHERE bookings.bookable_id = bookables.id AND lower(bookings.during) > ${NOW}
  ORDER BY lower(bookings.during), bookings.id
  LIMIT 1`

// The name is escaped once for all (OFFSET 0).
const rows = `bookables
  CROSS JOIN (SELECT to_json(name)::text AS name FROM locations WHERE id = $1 OFFSET 0) AS locations
  LEFT JOIN LATERAL (${PRESENT}) AS present ON true`

export const occupancyOfLocation = prepareListing({
  ...inLocation,
  name: 'occupancy-of-location',
  item: objectJson(entry),
  rows: `${rows} WHERE bookables.location_id = $1 AND bookables.deleted_at IS NULL`,
})

export const detailedOccupancyOfLocation = prepareListing({
  ...inLocation,
  name: 'detailed-occupancy-of-location',
  item: objectJson({ ...entry, booking_current: span('present'), booking_next: span('following') }),
  rows: `${rows} LEFT JOIN LATERAL (${NEXT}) AS following ON true WHERE bookables.location_id = $1 AND bookables.deleted_at IS NULL`,
})

const missing = message`There is no desk or room with this id.`

export const bookables = resource({ tag: 'Bookables', ability: 'read', missing })({
  getBookable: read('/bookables/{id}', {
    personal: 'own',
    summary: 'Get a bookable',
    answer: fullBookableSchema,
    statement: bookableById,
  }),
  createBookable: write('POST /bookables', {
    ability: 'object-write',
    summary: 'Create a bookable',
    description: 'Names are unique within a location, ignoring letter case.',
    body: newBookableSchema,
    job: 'bookables.create-one',
    etagAfter: (known) => known,
  }),
  updateBookable: write('PATCH /bookables/{id}', {
    ability: 'object-write',
    summary: 'Change a bookable',
    description:
      'Omitted fields stay unchanged. Blocking a bookable keeps its bookings, unless in_the_way says otherwise; bookings of ' +
      'other users prevent an assignment. The status of an assigned bookable cannot be changed.',
    body: bookableChangesSchema,
    refusals: ['bookable_assigned', 'in_use'],
    takesIfMatch: true,
    job: 'bookables.update',
    etagAfter: (known) => known,
  }),
  deleteBookable: write('DELETE /bookables/{id}', {
    ability: 'object-write',
    summary: 'Delete a bookable',
    description:
      'Keeps its past bookings. Upcoming bookings prevent the deletion, unless in_the_way says otherwise.',
    query: bookableDeletionQuery,
    refusals: ['in_use'],
    takesIfMatch: true,
    job: 'bookables.delete-one',
  }),
  listBookableBookings: list('/bookables/{bookable_id}/bookings', {
    personal: 'own',
    summary: 'List the bookings of a bookable',
    ...inRange,
    item: bookingOfBookableSchema,
    listing: bookingsOfBookable,
  }),
})
