// Lists the bookings that blocking or closing a place would affect.
import {
  affectedBookingsQuery,
  affectedClaimSchema,
} from '../../../../shared/affected-bookings/affected-bookings.ts'
import {
  affectedClaimJson,
  affectedClaimRows,
  isClosedWith,
} from '../../../../shared/affected-bookings/affected-bookings-shape.ts'
import { MISSING_PLACE } from '../../../../shared/messages/message.ts'
import { type RulePlace, ruleRows, thePlace } from '../../../../shared/rules/rules-shape.ts'
import { list, resource } from '../../../server/http/endpoint.ts'
import { type Listing, prepareListing } from '../../../server/http/listing.ts'

/** $1 is the place, $2 and $3 are the start and the end (null: for good). */
export function affectedBookingsOf(place: RulePlace): Listing {
  const ids = `ARRAY(SELECT bookables.id FROM ${ruleRows('bookables')}
    WHERE ${place}.id = $1 AND ${isClosedWith(place)})`
  return prepareListing({
    name: `in-the-way-of-${place}`,
    item: affectedClaimJson,
    rows: `${affectedClaimRows(ids, 'tstzrange($2, $3)')} WHERE true`,
    order: { 'lower(bookings.during)': 'timestamptz', 'bookings.id': 'bigint' },
    parent: `EXISTS (SELECT FROM ${thePlace(place)})`,
  })
}

const PLACES = [
  ['buildings', 'Building', 'closing a building'],
  ['locations', 'Location', 'closing a location'],
  ['bookables', 'Bookable', 'blocking or closing a bookable'],
] as const

export const affectedBookings = PLACES.flatMap(([place, noun, doing]) =>
  resource({ tag: `${noun}s`, ability: 'read', missing: MISSING_PLACE[place] })({
    [`list${noun}InTheWay`]: list(`/${place}/{id}/in-the-way`, {
      summary: `List the bookings affected by ${doing}`,
      description:
        'Returns the affected bookings and event rooms, ordered by start. An event appears once for each of its rooms.',
      query: affectedBookingsQuery,
      item: affectedClaimSchema,
      listing: affectedBookingsOf(place),
      values: ({ query, now }) => timesFrom(query, now),
    }),
  }),
)

type Times = { from?: string | undefined; to?: string | undefined }

// A time that is already over becomes an empty range, which matches nothing.
function timesFrom({ from = '', to }: Times, now: string): [from: string, to: string | null] {
  const begin = from > now ? from : now
  return [to !== undefined && to < begin ? to : begin, to ?? null]
}
