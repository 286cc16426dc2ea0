// The API endpoints for bookables.
import { claimsAtSql, timestampSql } from '../../../../shared/affected-bookings/claims.ts'
import { computeBookableEtags } from '../../../../shared/bookables/bookable-etag.ts'
import {
  bookableChangesSchema,
  bookableDeletionQuery,
  newBookableSchema,
} from '../../../../shared/bookables/bookable-inputs.ts'
import {
  fullBookableSchema,
  selectBookableSql,
  taggedBookableJson,
} from '../../../../shared/bookables/bookables.ts'
import { bookingOfBookableSchema } from '../../../../shared/bookings/bookings.ts'
import { message } from '../../../../shared/messages/message.ts'
import {
  flag,
  json,
  jsonOrNull,
  number,
  objectJson,
  text,
  timestamp,
  uuid,
} from '../../../../shared/schemas/json.ts'
import {
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'
import { prepareListing } from '../../../server/http/listing.ts'
import { bookingRange, bookingsOfBookable } from '../bookings/bookings-queries.ts'

export const bookableById = { name: 'find-bookable', text: selectBookableSql('$1') }

const bookablesInLocation = {
  order: { 'bookables.id': 'bigint' } as const,
  parent: 'EXISTS (SELECT FROM locations WHERE id = $1)',
}

export const bookablesOfLocation = prepareListing({
  ...bookablesInLocation,
  name: 'bookables-of-location',
  item: taggedBookableJson,
  rows: 'bookables WHERE bookables.location_id = $1 AND bookables.deleted_at IS NULL',
})

const spanJson = (claim: string) =>
  jsonOrNull(
    `${claim}.during IS NOT NULL`,
    objectJson({
      from_time: timestamp(`lower(${claim}.during)`),
      to_time: timestamp(`upper(${claim}.during)`),
    }),
  )

const occupancyColumns = {
  id: uuid('bookables.uuid'),
  location_name: json<string>('locations.name'),
  type: number('bookables.type'),
  name: text('bookables.name'),
  occupied: flag('present.during IS NOT NULL'),
}

const NOW_SQL = timestampSql('$2')

const PRESENT_CLAIM_JOIN = `
  SELECT claims.during FROM (${claimsAtSql(NOW_SQL)}) AS claims ORDER BY lower(claims.during), claims.id LIMIT 1`

const NEXT_CLAIM_JOIN = `
  SELECT bookings.during
  FROM bookings
  WHERE bookings.bookable_id = bookables.id AND lower(bookings.during) > ${NOW_SQL}
  ORDER BY lower(bookings.during), bookings.id
  LIMIT 1`

// OFFSET 0 makes Postgres escape the name only once for all rows.
const occupancyRowsSql = `bookables
  CROSS JOIN (SELECT to_json(name)::text AS name FROM locations WHERE id = $1 OFFSET 0) AS locations
  LEFT JOIN LATERAL (${PRESENT_CLAIM_JOIN}) AS present ON true`

export const occupancyOfLocation = prepareListing({
  ...bookablesInLocation,
  name: 'occupancy-of-location',
  item: objectJson(occupancyColumns),
  rows: `${occupancyRowsSql} WHERE bookables.location_id = $1 AND bookables.deleted_at IS NULL`,
})

export const detailedOccupancyOfLocation = prepareListing({
  ...bookablesInLocation,
  name: 'detailed-occupancy-of-location',
  item: objectJson({
    ...occupancyColumns,
    booking_current: spanJson('present'),
    booking_next: spanJson('following'),
  }),
  rows: `${occupancyRowsSql} LEFT JOIN LATERAL (${NEXT_CLAIM_JOIN}) AS following ON true WHERE bookables.location_id = $1 AND bookables.deleted_at IS NULL`,
})

const missing = message`There is no desk or room with this id.`

export const bookableEndpoints = declareResourceEndpoints({ tag: 'Bookables', ability: 'read', missing })({
  getBookable: declareReadEndpoint('/bookables/{id}', {
    personal: 'own',
    summary: 'Get a bookable',
    answer: fullBookableSchema,
    statement: bookableById,
    etag: (body) => computeBookableEtags(body).whole,
  }),
  createBookable: declareWriteEndpoint('POST /bookables', {
    ability: 'object-write',
    summary: 'Create a bookable',
    description: 'Names are unique within a location, ignoring letter case.',
    body: newBookableSchema,
    job: 'bookables.create-one',
    etagAfter: (known) => known,
  }),
  updateBookable: declareWriteEndpoint('PATCH /bookables/{id}', {
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
  deleteBookable: declareWriteEndpoint('DELETE /bookables/{id}', {
    ability: 'object-write',
    summary: 'Delete a bookable',
    description:
      'Keeps its past bookings. Upcoming bookings prevent the deletion, unless in_the_way says otherwise.',
    query: bookableDeletionQuery,
    refusals: ['in_use'],
    takesIfMatch: true,
    job: 'bookables.delete-one',
  }),
  listBookableBookings: declareListEndpoint('/bookables/{bookable_id}/bookings', {
    personal: 'own',
    summary: 'List the bookings of a bookable',
    ...bookingRange,
    item: bookingOfBookableSchema,
    listing: bookingsOfBookable,
  }),
})
