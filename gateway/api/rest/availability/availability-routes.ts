// Availability over HTTP.
import { claimsBetween } from '../../../../shared/affected-bookings/claims.ts'
import {
  BOOKABLE_STATUSES,
  bookableDetailsJson,
  bookableDetailsSchema,
} from '../../../../shared/bookables/bookables.ts'
import {
  availabilityQuery,
  type BookableAvailability,
  bookableAvailabilityQuery,
  bookableAvailabilitySchema,
  freeBusySchema,
  userTimesSchema,
} from '../../../../shared/bookings/availability.ts'
import { message } from '../../../../shared/messages/message.ts'
import * as answer from '../../../../shared/schemas/answers.ts'
import { listJson, objectJson, selectData, selectJson, timestamp } from '../../../../shared/schemas/json.ts'
import {
  FREE_PARAMETERS as $,
  freeBookablesSql,
  freeValues,
  whereGiven,
} from '../../../reads/availability/free-bookables.ts'
import { endpoint, list, read, resource } from '../../../server/http/endpoint.ts'
import { prepareListing } from '../../../server/http/listing.ts'
import { answerFreeBusy } from './free-busy.ts'

const { blocked } = BOOKABLE_STATUSES

export const availableBookables = prepareListing({
  name: 'available-bookables',
  item: bookableDetailsJson,
  rows: freeBookablesSql({ columns: '*', among: 'bookables', order: 'location_id, name, id' }),
  order: { 'bookables.location_id': 'bigint', 'bookables.name': 'text', 'bookables.id': 'bigint' },
  parent: [
    whereGiven(`${$.building}::bigint`, `EXISTS (SELECT FROM buildings WHERE id = ${$.building})`),
    whereGiven(`${$.location}::bigint`, `EXISTS (SELECT FROM locations WHERE id = ${$.location})`),
    whereGiven(
      `${$.user}::bigint`,
      `EXISTS (SELECT FROM users WHERE id = ${$.user} AND deactivated_at IS NULL)`,
    ),
  ].join(' AND '),
})

const spans = (times: string) =>
  selectJson(
    listJson(objectJson({ from: timestamp('lower(span)'), to: timestamp('upper(span)') }), 'lower(span)'),
    `FROM unnest(${times}) AS span`,
  )

// Taken times without a gap are one time, and end with the range. A blocked bookable is never free.
export const timesOfBookable = {
  name: 'find-bookable-availability',
  text: selectData(
    objectJson<BookableAvailability>({ free: spans('times.free'), taken: spans('times.taken') }),
    `bookables,
      LATERAL (
        SELECT coalesce(range_agg(claims.during * tstzrange($2, $3)), '{}') AS taken
        FROM (${claimsBetween('$2', '$3', 'bookings.exclusive', 'SELECT $1::bigint').join(' UNION ALL ')}) AS claims
      ) AS claimed,
      LATERAL (
        SELECT claimed.taken, CASE WHEN bookables.status = ${blocked} THEN '{}'::tstzmultirange
          ELSE tstzmultirange(tstzrange($2, $3)) - claimed.taken END AS free
      ) AS times
    WHERE bookables.id = $1 AND bookables.deleted_at IS NULL`,
  ),
}

export const availability = resource({ tag: 'Availability', ability: 'read' })({
  listAvailableBookables: list('/availability', {
    personal: 'own',
    summary: 'List free bookables',
    description:
      'Returns bookables that are free for the whole time range, not blocked, and open under the rules of their places, ordered by location, ' +
      'name and id. Home offices are always free.',
    refusals: ['not_found'],
    query: availabilityQuery,
    item: bookableDetailsSchema,
    missing: message`There is no building, floor or active person with this id.`,
    listing: availableBookables,
    values: ({ query: { building_id, location_id, user_id, tag, capacity_min, ...query } }) =>
      freeValues({
        ...query,
        building: building_id,
        location: location_id,
        user: user_id,
        tags: tag,
        capacity: capacity_min,
      }),
  }),
  getBookableAvailability: read('/bookables/{id}/availability', {
    personal: 'own',
    summary: 'Get the availability of a bookable',
    description:
      'Returns the free and taken times within the requested range. A blocked bookable has no free times; a home office is always free.',
    query: bookableAvailabilityQuery,
    answer: bookableAvailabilitySchema,
    missing: message`There is no desk or room with this id.`,
    statement: timesOfBookable,
    values: ({ query }) => [query.from, query.to],
    isLarge: true,
  }),
  getFreeBusy: endpoint('POST /free-busy', {
    personal: 'times',
    summary: 'Get the busy times of users',
    description:
      'Returns, in the order of user_ids, the times of the users’ own bookings and of events that they organize or attend ' +
      'and have not declined. Adjacent and overlapping times are merged, without details of the bookings and events.',
    isRead: true,
    body: freeBusySchema,
    answer: answer.contractOf(answer.list(userTimesSchema)),
    handle: answerFreeBusy,
  }),
})
