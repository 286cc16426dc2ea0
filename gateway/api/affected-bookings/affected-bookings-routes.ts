// What is in the way of blocking or closing a place, over HTTP, for a look before doing so.

import { claimInTheWaySchema, inTheWayQuery } from '../../../shared/affected-bookings/affected-bookings.ts'
import { MISSING_PLACE } from '../../../shared/messages/missing.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { list } from '../../http/listing-endpoint.ts'
import { IN_THE_WAY } from './affected-bookings-queries.ts'

const PLACES = [
  ['buildings', 'Building', 'closing a building'],
  ['locations', 'Location', 'closing a location'],
  ['bookables', 'Bookable', 'blocking or closing a bookable'],
] as const

type Times = { from?: string | undefined; to?: string | undefined }

export const inTheWay = PLACES.map(([place, noun, doing]) =>
  list({
    path: `/${place}/{id}/in-the-way`,
    name: `list${noun}InTheWay`,
    ability: 'read',
    tag: `${noun}s`,
    summary: `List what is in the way of ${doing}`,
    description:
      'Bookings, and rooms of events, at that time, in the order of their starts. An event is there once for each of its rooms.',
    params: object({ id: pathId() }),
    query: inTheWayQuery,
    item: claimInTheWaySchema,
    missing: MISSING_PLACE[place],
    source: ({ params, query, now }) => ({
      listing: IN_THE_WAY[place],
      values: [params.id, ...timesFrom(query, now)],
    }),
  }),
)

// A time that is already over becomes an empty range, which matches nothing.
function timesFrom({ from = '', to }: Times, now: string): [from: string, to: string | null] {
  const begin = from > now ? from : now
  return [to !== undefined && to < begin ? to : begin, to ?? null]
}
