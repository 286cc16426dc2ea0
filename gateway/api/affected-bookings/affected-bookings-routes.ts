// What is in the way of blocking or closing a place, over HTTP, for a look before doing so.
import { claimInTheWaySchema, inTheWayQuery } from '../../../shared/affected-bookings/affected-bookings.ts'
import { MISSING_PLACE } from '../../../shared/messages/missing.ts'
import { list, resource } from '../../http/endpoint.ts'
import { inTheWayOf } from './affected-bookings-queries.ts'

const PLACES = [
  ['buildings', 'Building', 'closing a building'],
  ['locations', 'Location', 'closing a location'],
  ['bookables', 'Bookable', 'blocking or closing a bookable'],
] as const

export const inTheWay = PLACES.flatMap(([place, noun, doing]) =>
  resource({ tag: `${noun}s`, ability: 'read', missing: MISSING_PLACE[place] }, [
    list({
      path: `/${place}/{id}/in-the-way`,
      name: `list${noun}InTheWay`,
      summary: `List what is in the way of ${doing}`,
      description:
        'Bookings, and rooms of events, at that time, in the order of their starts. An event is there once for each of its rooms.',
      query: inTheWayQuery,
      item: claimInTheWaySchema,
      listing: inTheWayOf(place),
      values: ({ query, now }) => timesFrom(query, now),
    }),
  ]),
)

type Times = { from?: string | undefined; to?: string | undefined }

// A time that is already over becomes an empty range, which matches nothing.
function timesFrom({ from = '', to }: Times, now: string): [from: string, to: string | null] {
  const begin = from > now ? from : now
  return [to !== undefined && to < begin ? to : begin, to ?? null]
}
