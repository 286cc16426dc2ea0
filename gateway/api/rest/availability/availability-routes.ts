// Availability over HTTP.
import { claimsBetween, isTaken } from '../../../../shared/affected-bookings/claims.ts'
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
import { WITH_BUILDINGS } from '../../../../shared/locations/locations.ts'
import { message } from '../../../../shared/messages/message.ts'
import type { RuleName } from '../../../../shared/rules/rules.ts'
import { rulesAllow } from '../../../../shared/rules/rules-shape.ts'
import * as answer from '../../../../shared/schemas/answers.ts'
import { listJson, objectJson, selectData, selectJson, timestamp } from '../../../../shared/schemas/json.ts'
import { endpoint, list, read, resource } from '../../../server/http/endpoint.ts'
import { prepareListing } from '../../../server/http/listing.ts'
import { answerFreeBusy } from './free-busy.ts'

const { flexible, blocked } = BOOKABLE_STATUSES

const whereGiven = (value: string, condition: string) => `(${value} IS NULL OR ${condition})`

const IN_PLACES = `bookables.location_id = ANY (ARRAY(
  SELECT id FROM locations
  WHERE ${whereGiven('$1::bigint', 'locations.building_id = $1')} AND ${whereGiven('$2::bigint', 'locations.id = $2')}))`

const IS_FOR_USER = `
  (bookables.status = ${flexible} OR EXISTS (
    SELECT FROM bookable_assignees
    WHERE bookable_assignees.bookable_id = bookables.id AND bookable_assignees.user_id = $3))`
const HAS_VEHICLE = `
  (NOT bookables.requires_vehicle OR EXISTS (SELECT FROM vehicles WHERE vehicles.user_id = $3))`

// In the order of the answer (OFFSET 0), so that a page is complete before the rest is checked for claims.
const candidates = (columns: string, from: string, order: string, isForUser: string) => `
  SELECT ${columns} FROM ${from}
  WHERE ${IN_PLACES}
    AND bookables.deleted_at IS NULL
    AND bookables.status <> ${blocked}
    AND ${whereGiven('$6::int', 'bookables.type = $6')}
    AND ${whereGiven('$7::text[]', 'bookables.tags @> $7')}
    AND ${whereGiven('$8::int', 'bookables.capacity >= $8')}
    AND ${whereGiven('$3::bigint', isForUser)}
  ORDER BY ${order} OFFSET 0`

// Most bookables of a place share their rules with others, so each distinct set of rules is evaluated once,
// not once for each of 5,000 bookables. Inside CASE this stays a set, built when it is first needed, and does
// not become a join.
const allowed = (
  except?: RuleName,
) => `CASE WHEN bookables.rules IS NULL AND locations.rules IS NULL AND buildings.rules IS NULL THEN true
  ELSE (bookables.location_id, bookables.type, coalesce(bookables.rules::text, '')) IN (
    SELECT bookables.location_id, bookables.type, coalesce(bookables.rules::text, '')
    FROM (
      SELECT location_id, type, nullif(own, '')::json AS rules
      FROM (
        SELECT DISTINCT location_id, type, coalesce(rules::text, '') AS own FROM bookables
        WHERE ${IN_PLACES} AND deleted_at IS NULL
      ) AS different
    ) AS bookables
    ${WITH_BUILDINGS}
    WHERE ${rulesAllow({ user: '$3', from: '$4', to: '$5', now: 'now()' }, except)}
  ) END`

/**
 * $1 building, $2 location, $3 user, $4 from, $5 to, $6 type, $7 tags, $8 capacity; null if not given. The rule named
 * `except` is not asked. A user who `addsVehicle` while booking needs none before.
 */
export const freeBookablesSql = (
  columns: string,
  from: string,
  order: string,
  { except, addsVehicle = false }: { except?: RuleName; addsVehicle?: boolean } = {},
) => `
  (${candidates(columns, from, order, addsVehicle ? IS_FOR_USER : `${IS_FOR_USER} AND ${HAS_VEHICLE}`)}) AS bookables
  ${WITH_BUILDINGS}
  WHERE ${allowed(except)} AND NOT ${isTaken('$4', '$5')}`

export const availableBookables = prepareListing({
  name: 'available-bookables',
  item: bookableDetailsJson,
  rows: freeBookablesSql('*', 'bookables', 'location_id, name, id'),
  order: { 'bookables.location_id': 'bigint', 'bookables.name': 'text', 'bookables.id': 'bigint' },
  parent: [
    whereGiven('$1::bigint', 'EXISTS (SELECT FROM buildings WHERE id = $1)'),
    whereGiven('$2::bigint', 'EXISTS (SELECT FROM locations WHERE id = $2)'),
    whereGiven('$3::bigint', 'EXISTS (SELECT FROM users WHERE id = $3 AND deactivated_at IS NULL)'),
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
    summary: 'List the bookables that are free',
    description:
      'Those that are free for all of the time, not blocked, and open by the rules of their places, ordered by location, ' +
      'name and id. A home office is never taken.',
    refusals: ['not_found'],
    query: availabilityQuery,
    item: bookableDetailsSchema,
    missing: message`There is no building, location or active user with this id.`,
    listing: availableBookables,
    values: ({ query: { building_id, location_id, user_id, from, to, type, tag, capacity_min } }) =>
      [building_id, location_id, user_id, from, to, type, tag, capacity_min].map((value) => value ?? null),
  }),
  getBookableAvailability: read('/bookables/{id}/availability', {
    personal: 'own',
    summary: 'Get the times when a bookable is free and taken',
    description:
      'Within the range that is asked for. A blocked bookable has no free times; a home office is always free.',
    query: bookableAvailabilityQuery,
    answer: bookableAvailabilitySchema,
    missing: message`There is no bookable with this id.`,
    statement: timesOfBookable,
    values: ({ query }) => [query.from, query.to],
    isLarge: true,
  }),
  getFreeBusy: endpoint('POST /free-busy', {
    personal: 'times',
    summary: 'Get the times when users are taken',
    description:
      'In the order of user_ids: the times of bookings for the users themselves, and of events that they organize or attend ' +
      'and have not declined. What touches or overlaps is one time; what it is stays hidden.',
    isRead: true,
    body: freeBusySchema,
    answer: answer.contractOf(answer.list(userTimesSchema)),
    handle: answerFreeBusy,
  }),
})
