// Queries for bookables, and for who occupies them now.

import { claimsAt } from '../../../shared/affected-bookings/claims.ts'
import { selectBookable, taggedBookableJson } from '../../../shared/bookables/bookables-shape.ts'
import { flag, jsonWhere, number, objectJson, text, timestamp } from '../../../shared/schemas/json.ts'
import { prepareListing } from '../../http/listing.ts'

export const bookableById = { name: 'find-bookable', text: selectBookable('$1') }

const inLocation = {
  order: [{ by: 'bookables.id', type: 'bigint' }] as const,
  parent: 'EXISTS (SELECT FROM locations WHERE id = $1)',
}

export const bookablesOfLocation = prepareListing({
  ...inLocation,
  name: 'bookables-of-location',
  item: taggedBookableJson('bookables'),
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
  id: text('bookables.uuid'),
  location_name: text('locations.name'),
  type: number('bookables.type'),
  name: text('bookables.name'),
  occupied: flag('present.during IS NOT NULL'),
}

// $2 is “now”.
const PRESENT = `
  SELECT claims.during FROM (${claimsAt('$2')}) AS claims ORDER BY lower(claims.during), claims.id LIMIT 1`

const NEXT = `
  SELECT bookings.during
  FROM bookings
  WHERE bookings.bookable_id = bookables.id AND lower(bookings.during) > $2::timestamptz
  ORDER BY lower(bookings.during), bookings.id
  LIMIT 1`

const rows = `bookables
  JOIN locations ON locations.id = bookables.location_id
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
