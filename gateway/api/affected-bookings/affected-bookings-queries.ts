// Queries for what is in the way of blocking or closing a place: $1 is the place, $2 and $3 are the start and
// the end (null: for good).
import {
  claimInTheWayJson,
  claimInTheWayRows,
  isClosedWith,
} from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { type RulePlace, ruleRows } from '../../../shared/rules/rules-shape.ts'
import { type Listing, prepareListing } from '../../http/listing.ts'

const inTheWayOf = (place: RulePlace): Listing => {
  const there = `${place}.id = $1 ${place === 'bookables' ? 'AND bookables.deleted_at IS NULL' : ''}`
  const ids = `ARRAY(SELECT bookables.id FROM ${ruleRows('bookables')}
    WHERE ${place}.id = $1 AND ${isClosedWith(place)})`
  return prepareListing({
    name: `in-the-way-of-${place}`,
    item: claimInTheWayJson,
    rows: `${claimInTheWayRows(ids, 'tstzrange($2, $3)')} WHERE true`,
    order: [
      { by: 'lower(bookings.during)', type: 'timestamptz' },
      { by: 'bookings.id', type: 'bigint' },
    ],
    parent: { exists: `EXISTS (SELECT FROM ${ruleRows(place)} WHERE ${there})`, values: 1 },
    values: 3,
  })
}

export const IN_THE_WAY: Record<RulePlace, Listing> = {
  buildings: inTheWayOf('buildings'),
  locations: inTheWayOf('locations'),
  bookables: inTheWayOf('bookables'),
}
