// The API endpoints for availability.
import { claimsBetweenSql } from '../../../../shared/affected-bookings/claims.ts'
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
import {
  listJson,
  objectJson,
  selectDataBodySql,
  selectJson,
  timestamp,
} from '../../../../shared/schemas/json.ts'
import {
  FREE_PARAMETERS as $,
  freeBookablesSql,
  freeValues,
  optionalConditionSql,
} from '../../../reads/availability/free-bookables.ts'
import {
  declareEndpoint,
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
} from '../../../server/http/endpoint.ts'
import { prepareListing } from '../../../server/http/listing.ts'
import { answerFreeBusy } from './free-busy.ts'

const { blocked } = BOOKABLE_STATUSES

export const availableBookables = prepareListing({
  name: 'available-bookables',
  item: bookableDetailsJson,
  rows: freeBookablesSql({ columns: '*', among: 'bookables', order: 'location_id, name, id' }),
  order: { 'bookables.location_id': 'bigint', 'bookables.name': 'text', 'bookables.id': 'bigint' },
  parent: [
    optionalConditionSql(`${$.building}::bigint`, `EXISTS (SELECT FROM buildings WHERE id = ${$.building})`),
    optionalConditionSql(`${$.location}::bigint`, `EXISTS (SELECT FROM locations WHERE id = ${$.location})`),
    optionalConditionSql(
      `${$.user}::bigint`,
      `EXISTS (SELECT FROM users WHERE id = ${$.user} AND deactivated_at IS NULL)`,
    ),
  ].join(' AND '),
})

const spansJson = (times: string) =>
  selectJson(
    listJson(objectJson({ from: timestamp('lower(span)'), to: timestamp('upper(span)') }), 'lower(span)'),
    `FROM unnest(${times}) AS span`,
  )

// Lists the times at which a bookable is taken, merges times without a gap between them, and cuts them off at
// the end of the range. A blocked bookable is never free.
export const bookableAvailabilityStatement = {
  name: 'find-bookable-availability',
  text: selectDataBodySql(
    objectJson<BookableAvailability>({ free: spansJson('times.free'), taken: spansJson('times.taken') }),
    `bookables,
      LATERAL (
        SELECT coalesce(range_agg(claims.during * tstzrange($2, $3)), '{}') AS taken
        FROM (${claimsBetweenSql('$2', '$3', 'bookings.exclusive', 'SELECT $1::bigint').join(' UNION ALL ')}) AS claims
      ) AS claimed,
      LATERAL (
        SELECT claimed.taken, CASE WHEN bookables.status = ${blocked} THEN '{}'::tstzmultirange
          ELSE tstzmultirange(tstzrange($2, $3)) - claimed.taken END AS free
      ) AS times
    WHERE bookables.id = $1 AND bookables.deleted_at IS NULL`,
  ),
}

export const availabilityEndpoints = declareResourceEndpoints({ tag: 'Availability', ability: 'read' })({
  listAvailableBookables: declareListEndpoint('/availability', {
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
  getBookableAvailability: declareReadEndpoint('/bookables/{id}/availability', {
    personal: 'own',
    summary: 'Get the availability of a bookable',
    description:
      'Returns the free and taken times within the requested range. A blocked bookable has no free times; a home office is always free.',
    query: bookableAvailabilityQuery,
    answer: bookableAvailabilitySchema,
    missing: message`There is no desk or room with this id.`,
    statement: bookableAvailabilityStatement,
    values: ({ query }) => [query.from, query.to],
    isLarge: true,
  }),
  getFreeBusy: declareEndpoint('POST /free-busy', {
    personal: 'times',
    summary: 'Get the busy times of users',
    description:
      'Returns, in the order of user_ids, the times of the users’ own bookings and of events that they organize or attend ' +
      'and have not declined. Adjacent and overlapping times are merged, without details of the bookings and events.',
    isRead: true,
    body: freeBusySchema,
    answer: answer.createAnswerContract(answer.list(userTimesSchema)),
    handle: answerFreeBusy,
  }),
})
