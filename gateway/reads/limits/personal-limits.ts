// Restricts the reads of a personal token and of people's own pages to what concerns the person, the way
// building-limits.ts restricts reads to buildings: each table about people is replaced by the rows that the
// person may see. Other people's claims show only their times, so that taken times still count as taken.
// Everybody sees the same places and bookables.

import {
  mayDecideSql,
  requestedAttendeesSeenBy,
} from '../../../shared/booking-requests/booking-requests-shape.ts'
import {
  attendeesSeenBySql,
  isHiddenFromSql,
  peopleHiddenFromSql,
} from '../../../shared/people/visibility.ts'
import { MEETING_TIMES_SQL } from '../people/busy-times.ts'
import { type LimitedTables, replaceLimitedTables } from './limited-tables.ts'

/** What an endpoint shows to a personal token. `own`: nothing about other people. `meetings`: also who takes
 * part in the person's own events. `requests`: also who sent or decided the requests that the person may see,
 * but no decider who hides from the person. `times`: everything, because the endpoint itself returns only
 * times, and no times of people who hide from the person. */
export type PersonalUse = 'own' | 'meetings' | 'requests' | 'times'

/** The access of personal tokens to an endpoint. */
export type PersonalTokenAccess = {
  /** What personal tokens see. If undefined, the endpoint refuses personal tokens. The handler of a write
   * refuses input that concerns other people. */
  personal?: PersonalUse
  /** The ability that a personal token needs instead of `ability`, which personal tokens never have. */
  personalAbility?: 'booking-write'
  /** The field of the body that defaults to the token's owner. */
  ownerField?: 'user_id' | 'organizer_user_id'
}

// The columns of claims. For another person's claim, most of them are null.
const CLAIM_COLUMNS = {
  id: 'id',
  bookable_id: 'bookable_id',
  user_id: 'NULL::bigint',
  event_id: 'NULL::bigint',
  during: 'during',
  exclusive: 'exclusive',
  guest_name: 'NULL::text',
  guest_email: 'NULL::text',
  booking_info: 'NULL::text',
  vehicle_id: 'NULL::bigint',
  license_plate: 'NULL::text',
  created_at: 'NULL::timestamptz',
  updated_at: 'NULL::timestamptz',
  check_in_from: 'NULL::timestamptz',
  check_in_until: 'NULL::timestamptz',
  checked_in_at: 'NULL::timestamptz',
  released_at: 'released_at',
  series_id: 'NULL::bigint',
  revision: 'NULL::integer',
  hold_id: 'NULL::bigint',
  booked_by_user_id: 'NULL::bigint',
}
const CLAIM_COLUMNS_OF_OTHERS = Object.values(CLAIM_COLUMNS).join(', ')

const SELECT_OWN_EVENTS = 'SELECT id FROM own_events'

// The condition for claims of a user or of an event. A claim belongs to a user, an event or a request
// (bookings__of_one). With these conditions, Postgres can skip the parts of a union that a statement does not need.
const ownClaimCondition = (owner: 'user_id' | 'event_id') => {
  const others = {
    user_id: 'NULL::bigint',
    event_id: 'NULL::bigint',
    hold_id: 'NULL::bigint',
    [owner]: owner,
  }
  const columns = Object.keys(CLAIM_COLUMNS).map((column) => [column, column])
  return Object.entries({ ...Object.fromEntries(columns), ...others })
    .map(([column, value]) => `${value} AS ${column}`)
    .join(', ')
}
const OWN_CLAIM_BY_USER_SQL = ownClaimCondition('user_id')
const OWN_CLAIM_BY_EVENT_SQL = ownClaimCondition('event_id')

// A union of several parts, so that Postgres uses the indexes of users and of events.
const selectClaims = (user: string) => `
  SELECT ${OWN_CLAIM_BY_USER_SQL} FROM bookings WHERE user_id = ${user}
  UNION ALL SELECT ${OWN_CLAIM_BY_EVENT_SQL} FROM bookings WHERE event_id IN (${SELECT_OWN_EVENTS})
  UNION ALL SELECT ${CLAIM_COLUMNS_OF_OTHERS} FROM bookings
    WHERE user_id <> ${user} OR hold_id IS NOT NULL OR (event_id IS NOT NULL AND event_id NOT IN (${SELECT_OWN_EVENTS}))`

// Everybody may know on which days a bookable is lent, but not always by whom.
const selectLoans = (user: string, isSeen: string) => `
  SELECT id, bookable_id, CASE WHEN user_id = ${user} OR ${isSeen} THEN user_id END AS user_id, days, created_at
  FROM loans`

const SELECT_PARTICIPANTS = `SELECT organizer_user_id AS id FROM events
  UNION SELECT user_id FROM event_attendees WHERE event_id IN (${SELECT_OWN_EVENTS})`

// Leaves out deciders who hide from the person, even if the person sees them as the requesters of other requests.
const selectHolds = (user: string) => `
  SELECT id, kind, state, bookable_id, user_id, during, guest_name, guest_email, booking_info, vehicle_id, created_at,
    expires_at, decided_at, decided_by_admin_id, reason, booking_id, title, invites, event_id,
    CASE WHEN NOT ${isHiddenFromSql('decided_by_user_id', user)} THEN decided_by_user_id END AS decided_by_user_id
  FROM holds WHERE user_id = ${user} OR (kind = 'request' AND ${mayDecideSql('bookable_id', user)})`

const SELECT_PEOPLE_OF_REQUESTS = `SELECT user_id AS id FROM holds
  UNION SELECT user_id FROM hold_attendees
  UNION SELECT decided_by_user_id FROM holds`

const selectRowsWhere = (table: string, condition: string) => `SELECT * FROM ${table} WHERE ${condition}`
const selectRowsOfUser = (table: string, user: string) => selectRowsWhere(table, `user_id = ${user}`)

const KNOWN_PEOPLE_SQL = {
  own: () => 'SELECT NULL::bigint AS id WHERE false',
  meetings: () => SELECT_PARTICIPANTS,
  requests: () => SELECT_PEOPLE_OF_REQUESTS,
  pages: () => `${SELECT_PARTICIPANTS} UNION ${SELECT_PEOPLE_OF_REQUESTS}`,
}
const IS_KNOWN_SQL = 'id IN (SELECT id FROM known_people)'

const createPersonalTables = (user: string, use: keyof typeof KNOWN_PEOPLE_SQL): LimitedTables => ({
  // A union of two parts, so that Postgres uses the indexes of organizers and of attendees.
  own_events: `SELECT id FROM events WHERE organizer_user_id = ${user}
    UNION SELECT event_id FROM event_attendees WHERE user_id = ${user}`,
  events: selectRowsWhere('events', `id IN (${SELECT_OWN_EVENTS})`),
  event_attendees: `${attendeesSeenBySql(user)} WHERE attending.event_id IN (${SELECT_OWN_EVENTS})`,
  holds: selectHolds(user),
  hold_attendees: `${requestedAttendeesSeenBy(user)} AND hold_id IN (SELECT id FROM holds)`,
  // The people with whom the person shares meetings or requests. Postgres finds them once for a statement that names
  // users several times, and plans such a statement in a fraction of the time.
  known_people: KNOWN_PEOPLE_SQL[use](),
  users: selectRowsWhere('users', `id = ${user}${use === 'own' ? '' : ` OR ${IS_KNOWN_SQL}`}`),
  series: selectRowsWhere(
    'series',
    `id IN (SELECT series_id FROM bookings WHERE user_id = ${user}) OR id IN (SELECT series_id FROM events)`,
  ),
  bookings: selectClaims(user),
  cancelled_bookings: selectRowsOfUser('cancelled_bookings', user),
  refused_bookings: selectRowsOfUser('refused_bookings', user),
  vehicles: selectRowsOfUser('vehicles', user),
  group_members: selectRowsOfUser('group_members', user),
  groups: selectRowsWhere('groups', 'id IN (SELECT group_id FROM group_members)'),
  group_leads: selectRowsOfUser('group_leads', user),
  team_days: selectRowsWhere('team_days', 'group_id IN (SELECT group_id FROM group_members)'),
  bookable_assignees: selectRowsOfUser('bookable_assignees', user),
  calendars: selectRowsOfUser('calendars', user),
  user_texts: selectRowsOfUser('user_texts', user),
  provisioned_users: selectRowsOfUser('provisioned_users', user),
  person_settings: selectRowsOfUser('person_settings', user),
  user_pictures: selectRowsOfUser('user_pictures', user),
  person_languages: selectRowsOfUser('person_languages', user),
  favourite_colleagues: selectRowsOfUser('favourite_colleagues', user),
  waits: selectRowsOfUser('waits', user),
  absences: selectRowsOfUser('absences', user),
  loans: selectLoans(user, 'false'),
  changes: selectRowsWhere('changes', 'false'),
})

/** The tables that a personal token sees only in part. */
export const PERSONAL_TABLES = Object.keys(createPersonalTables('', 'own'))

const IS_VISIBLE_SQL = 'NOT IN (SELECT user_id FROM hidden_people)'

const CLAIM_COLUMNS_OF_COLLEAGUES = Object.values({ ...CLAIM_COLUMNS, user_id: 'user_id' }).join(', ')
// SQL condition that the booking shows where a colleague sits, which a booking for a guest does not.
const IS_SEAT_SQL = `user_id ${IS_VISIBLE_SQL} AND guest_name IS NULL AND guest_email IS NULL`

// The groups that the rules of places name. They are visible, so that a refusal can tell who may book.
const SELECT_GROUPS_OF_RULES = `
  SELECT id, name FROM groups WHERE id IN (
    SELECT json_array_elements_text(CASE json_typeof(named) WHEN 'array' THEN named END)::bigint
    FROM (SELECT rules FROM buildings UNION ALL SELECT rules FROM locations UNION ALL SELECT rules FROM bookables) AS places,
      LATERAL (VALUES (rules -> 'group_ids'), (rules #> '{approvers,group_ids}')) AS every (named)
    WHERE rules IS NOT NULL)`

// Tables about people or secrets that people's own pages never read.
const UNSHOWN_TABLES = [
  'admin_identities',
  'admin_links',
  'admins',
  'answer_links',
  'answer_mailboxes',
  'arrivals',
  'audit_log',
  'calendar_entries',
  'calendar_position',
  'calendar_providers',
  'calendar_series',
  'changes_default',
  'decision_links',
  'device_authorizations',
  'erasures',
  'file_chunks',
  'files',
  'idempotency_keys',
  'import_layouts',
  'import_plan_rows',
  'import_plans',
  'invitations',
  'jobs',
  'location_figures',
  'bookable_figures',
  'mail_position',
  'mails',
  'monthly_report_mails',
  'organizer_entries',
  'past_changes',
  'provider_rooms',
  'push_deliveries',
  'push_position',
  'pushed_bookings',
  'pushes',
  'told_bookings',
  'provisioned_groups',
  'receipts',
  'room_calendars',
  'screens',
  'sessions',
  'setup_links',
  'tokens',
  'unknown_organizer',
  'webhook_deliveries',
  'webhooks',
]

/** The tables as a person sees them on their own pages: all of their own rows, and the names and seats of
 * colleagues who allow that. Nothing else about other people's bookings is included, and people who hide have
 * no rows at all. */
const createColleagueTables = (user: string): LimitedTables => ({
  // This table must come first, because it reads the tables of groups before those are limited.
  hidden_people: peopleHiddenFromSql(user),
  // The people who do not hide from the person, so that every page may name them. “users” also contains the people with
  // whom the person shares meetings or requests, even if they hide.
  visible_people: selectRowsWhere('users', `id ${IS_VISIBLE_SQL}`),
  // The people whom the person can find.
  colleagues: selectRowsWhere('users', `id <> ${user} AND id ${IS_VISIBLE_SQL} AND deactivated_at IS NULL`),
  groups_of_rules: SELECT_GROUPS_OF_RULES,
  // Pages use the times of meetings to find times that suit everybody.
  meeting_times: selectRowsWhere(`(${MEETING_TIMES_SQL}) AS meetings`, `user_id ${IS_VISIBLE_SQL}`),
  // What the person has booked for others, without bookings of people who hide from them.
  booked_for_others: selectRowsWhere('bookings', `booked_by_user_id = ${user} AND user_id ${IS_VISIBLE_SQL}`),
  ...createPersonalTables(user, 'pages'),
  users: selectRowsWhere('users', `id = ${user} OR id ${IS_VISIBLE_SQL} OR ${IS_KNOWN_SQL}`),
  bookings: `
  SELECT ${OWN_CLAIM_BY_USER_SQL} FROM bookings WHERE user_id = ${user}
  UNION ALL SELECT ${OWN_CLAIM_BY_EVENT_SQL} FROM bookings WHERE event_id IN (${SELECT_OWN_EVENTS})
  UNION ALL SELECT ${CLAIM_COLUMNS_OF_COLLEAGUES} FROM bookings WHERE user_id <> ${user} AND ${IS_SEAT_SQL}
  UNION ALL SELECT ${CLAIM_COLUMNS_OF_OTHERS} FROM bookings WHERE user_id <> ${user} AND NOT (${IS_SEAT_SQL})
  UNION ALL SELECT ${CLAIM_COLUMNS_OF_OTHERS} FROM bookings WHERE user_id IS NULL AND (event_id IS NULL OR event_id NOT IN (${SELECT_OWN_EVENTS}))`,
  group_members: selectRowsWhere(
    'group_members',
    `group_id IN (SELECT group_id FROM group_members WHERE user_id = ${user}) AND user_id ${IS_VISIBLE_SQL}`,
  ),
  bookable_assignees: selectRowsWhere('bookable_assignees', `user_id = ${user} OR user_id ${IS_VISIBLE_SQL}`),
  absences: selectRowsWhere('absences', `user_id = ${user} OR user_id ${IS_VISIBLE_SQL}`),
  loans: selectLoans(user, `user_id ${IS_VISIBLE_SQL}`),
  user_texts: selectRowsWhere('user_texts', `user_id = ${user} OR user_id ${IS_VISIBLE_SQL}`),
  user_pictures: selectRowsWhere('user_pictures', `user_id = ${user} OR user_id ${IS_VISIBLE_SQL}`),
  // Includes the rooms that the person's meetings have lost.
  cancelled_bookings: selectRowsWhere(
    'cancelled_bookings',
    `user_id = ${user} OR event_id IN (${SELECT_OWN_EVENTS})`,
  ),
  person_sessions: selectRowsOfUser('person_sessions', user),
  push_subscriptions: selectRowsOfUser('push_subscriptions', user),
  sign_in_links: selectRowsOfUser('sign_in_links', user),
  // Other people's waitlist entries show only the place and the time, so that a page can count how many
  // people are ahead of the person.
  waits: `
  SELECT id, user_id, bookable_id, location_id, type, during, state, created_at, ended_at, hold_id, vehicle_id, end_reason
    FROM waits WHERE user_id = ${user}
  UNION ALL SELECT id, NULL::bigint, bookable_id, location_id, type, during, state, NULL::timestamptz, NULL::timestamptz, NULL::bigint, NULL::bigint, NULL::text
    FROM waits WHERE user_id <> ${user} AND state = 'waiting'`,
})

/** The tables that are limited in every statement of people's own pages. */
export const COLLEAGUE_TABLES = [...Object.keys(createColleagueTables('')), ...UNSHOWN_TABLES]

/**
 * Limits a statement for people's own pages. The person is one more parameter, after the statement's own number of
 * `values`.
 */
export function limitTextToColleagues(text: string, values: number): string {
  const user = `$${values + 1}::bigint`
  const unshown = UNSHOWN_TABLES.map((table) => [table, selectRowsWhere(table, 'false')])
  const tables = { ...createColleagueTables(user), ...Object.fromEntries(unshown) }
  return replaceLimitedTables(text, user, tables)
}

/** Returns a function that limits statements to what `use` allows. The person is one more parameter, after
 * the statement's own number of `values`. */
export const limitTextToPerson =
  (use: Exclude<keyof typeof KNOWN_PEOPLE_SQL, 'pages'>) => (text: string, values: number) => {
    const user = `$${values + 1}::bigint`
    // The statement becomes a subquery, so that an outer limit to buildings can have tables of the same names.
    return `SELECT * FROM (${replaceLimitedTables(text, user, createPersonalTables(user, use))}) AS personal`
  }
