// Queries for what is in the way of blocking or closing a place: $1 is the place, $2 and $3 are the start and
// the end (null: for good).
import {
  claimInTheWayJson,
  claimInTheWayRows,
  isClosedWith,
} from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { type RulePlace, ruleRows, thePlace } from '../../../shared/rules/rules-shape.ts'
import { type Listing, prepareListing } from '../../http/listing.ts'

export function inTheWayOf(place: RulePlace): Listing {
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
    parent: `EXISTS (SELECT FROM ${thePlace(place)})`,
  })
}
