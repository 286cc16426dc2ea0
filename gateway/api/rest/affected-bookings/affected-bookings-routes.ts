// The API endpoints that list the bookings that blocking or closing a place would affect.
import {
  affectedBookingsQuery,
  affectedClaimSchema,
} from '../../../../shared/affected-bookings/affected-bookings.ts'
import {
  affectedClaimJson,
  affectedClaimRowsSql,
  isClosedWithPlaceSql,
} from '../../../../shared/affected-bookings/affected-bookings-shape.ts'
import { MISSING_PLACE_MESSAGES } from '../../../../shared/messages/message.ts'
import { placeWithIdSql, type RulePlace, ruleRowsSql } from '../../../../shared/rules/rules-shape.ts'
import { declareListEndpoint, declareResourceEndpoints } from '../../../server/http/endpoint.ts'
import { type Listing, prepareListing } from '../../../server/http/listing.ts'

/** Lists the affected bookings. $1 is the place; $2 and $3 are the start and the end. A null end means that
 * the place closes permanently. */
export function createAffectedBookingsListing(place: RulePlace): Listing {
  const ids = `ARRAY(SELECT bookables.id FROM ${ruleRowsSql('bookables')}
    WHERE ${place}.id = $1 AND ${isClosedWithPlaceSql(place)})`
  return prepareListing({
    name: `in-the-way-of-${place}`,
    item: affectedClaimJson,
    rows: `${affectedClaimRowsSql(ids, 'tstzrange($2, $3)')} WHERE true`,
    order: { 'lower(bookings.during)': 'timestamptz', 'bookings.id': 'bigint' },
    parent: `EXISTS (SELECT FROM ${placeWithIdSql(place)})`,
  })
}

const PLACE_KINDS = [
  ['buildings', 'Building', 'closing a building'],
  ['locations', 'Location', 'closing a location'],
  ['bookables', 'Bookable', 'blocking or closing a bookable'],
] as const

export const affectedBookingEndpoints = PLACE_KINDS.flatMap(([place, noun, doing]) =>
  declareResourceEndpoints({ tag: `${noun}s`, ability: 'read', missing: MISSING_PLACE_MESSAGES[place] })({
    [`list${noun}InTheWay`]: declareListEndpoint(`/${place}/{id}/in-the-way`, {
      summary: `List the bookings affected by ${doing}`,
      description:
        'Returns the affected bookings and event rooms, ordered by start. An event appears once for each of its rooms.',
      query: affectedBookingsQuery,
      item: affectedClaimSchema,
      listing: createAffectedBookingsListing(place),
      values: ({ query, now }) => resolvePeriod(query, now),
    }),
  }),
)

type PeriodQuery = { from?: string | undefined; to?: string | undefined }

// Returns the start and the end of the requested period. A period that is already over becomes an empty range, which
// matches nothing.
function resolvePeriod({ from = '', to }: PeriodQuery, now: string): [from: string, to: string | null] {
  const begin = from > now ? from : now
  return [to !== undefined && to < begin ? to : begin, to ?? null]
}
