// Restricts the reads of a personal token and of the people's own pages to what concerns the person, as building-limits.ts
// does it for buildings: each table about people is replaced by the part of it that the person may see. Of the claims of
// others only the times remain, so that what is taken stays taken. Places, and what can be booked there, are the same for everybody.

import { mayDecide } from '../../../shared/booking-requests/booking-requests-shape.ts'
import { attendeesSeenBy, isHiddenFrom, peopleHiddenFrom } from '../../../shared/people/visibility.ts'
import { limitTo, type Tables } from './limited-tables.ts'

/**
 * What an endpoint shows to a personal token. `own`: nothing of other people. `meetings`: also who takes part in the
 * person's own events. `requests`: also who sent or decided the requests that the person may see, but no decider who hides
 * from the person. `times`: everything; the endpoint itself answers only times, but not those of people who hide from the
 * person.
 */
export type PersonalUse = 'own' | 'meetings' | 'requests' | 'times'

/** What an endpoint declares. */
export type ForPersonalTokens = {
  /** Without it, personal tokens are refused. The handler of a write refuses what concerns others. */
  personal?: PersonalUse
  /** The field of the body that is the token's person if a personal token leaves it out. */
  ownerField?: 'user_id' | 'organizer_user_id'
}

// The columns of claims, with what remains of a claim of somebody else.
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
}
const CLAIM_OF_OTHERS = Object.values(CLAIM_COLUMNS).join(', ')

const OWN_EVENTS = 'SELECT id FROM own_events'

// A claim belongs to a user, an event or a request (bookings__of_one). With these conditions Postgres can skip the parts of a
// union that a statement does not need.
const ofClaim = (owner: 'user_id' | 'event_id') => {
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
const OWN_BY_USER = ofClaim('user_id')
const OWN_BY_EVENT = ofClaim('event_id')

// Several parts instead of one condition, so that the indexes of users and of events serve.
const claims = (user: string) => `
  SELECT ${OWN_BY_USER} FROM bookings WHERE user_id = ${user}
  UNION ALL SELECT ${OWN_BY_EVENT} FROM bookings WHERE event_id IN (${OWN_EVENTS})
  UNION ALL SELECT ${CLAIM_OF_OTHERS} FROM bookings
    WHERE user_id <> ${user} OR hold_id IS NOT NULL OR (event_id IS NOT NULL AND event_id NOT IN (${OWN_EVENTS}))`

const participants = `id IN (SELECT organizer_user_id FROM events)
  OR id IN (SELECT user_id FROM event_attendees WHERE event_id IN (${OWN_EVENTS}))`

const ofRequests = (user: string) => `id IN (SELECT user_id FROM holds) OR id IN (
    SELECT decided_by_user_id FROM holds WHERE NOT ${isHiddenFrom('holds.decided_by_user_id', user)})`

const rowsOf = (table: string, condition: string) => `SELECT * FROM ${table} WHERE ${condition}`
const ofUser = (table: string, user: string) => rowsOf(table, `user_id = ${user}`)

const OTHERS = {
  own: () => '',
  meetings: () => ` OR ${participants}`,
  requests: (user: string) => ` OR ${ofRequests(user)}`,
}

const personalTables = (user: string, use: keyof typeof OTHERS): Tables => ({
  // Two parts, so that Postgres uses the indexes of organizers and of attendees.
  own_events: `SELECT id FROM events WHERE organizer_user_id = ${user}
    UNION SELECT event_id FROM event_attendees WHERE user_id = ${user}`,
  events: rowsOf('events', `id IN (${OWN_EVENTS})`),
  event_attendees: `${attendeesSeenBy(user)} WHERE attending.event_id IN (${OWN_EVENTS})`,
  holds: rowsOf('holds', `user_id = ${user} OR (kind = 'request' AND ${mayDecide('bookable_id', user)})`),
  users: rowsOf('users', `id = ${user}${OTHERS[use](user)}`),
  series: rowsOf('series', `id IN (SELECT series_id FROM bookings WHERE user_id = ${user})`),
  bookings: claims(user),
  cancelled_bookings: ofUser('cancelled_bookings', user),
  refused_bookings: ofUser('refused_bookings', user),
  vehicles: ofUser('vehicles', user),
  group_members: ofUser('group_members', user),
  groups: rowsOf('groups', 'id IN (SELECT group_id FROM group_members)'),
  bookable_assignees: ofUser('bookable_assignees', user),
  calendars: ofUser('calendars', user),
  user_texts: ofUser('user_texts', user),
  provisioned_users: ofUser('provisioned_users', user),
  person_settings: ofUser('person_settings', user),
  person_languages: ofUser('person_languages', user),
  favourite_colleagues: ofUser('favourite_colleagues', user),
  waits: ofUser('waits', user),
  changes: rowsOf('changes', 'false'),
})

/** The tables of which a personal token sees only a part. */
export const PERSONAL_TABLES = Object.keys(personalTables('', 'own'))

const IS_VISIBLE = 'NOT IN (SELECT user_id FROM hidden_people)'

const CLAIM_OF_COLLEAGUES = Object.values({ ...CLAIM_COLUMNS, user_id: 'user_id' }).join(', ')
// What is booked for a guest does not say where the colleague sits.
const IS_SEAT = `user_id ${IS_VISIBLE} AND guest_name IS NULL AND guest_email IS NULL`

// The groups that the rules of places name, so that a refusal can say who may book.
const GROUPS_OF_RULES = `
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
  'arrivals',
  'audit_log',
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
  'jobs',
  'location_figures',
  'bookable_figures',
  'mail_position',
  'mails',
  'monthly_report_mails',
  'past_changes',
  'told_bookings',
  'provisioned_groups',
  'receipts',
  'screens',
  'sessions',
  'setup_links',
  'tokens',
  'webhook_deliveries',
  'webhooks',
]

/**
 * What a person sees on their own pages: all their own rows, and the names and seats of colleagues who allow it. Nothing
 * else about the bookings of others is included, and a hidden person has no row at all.
 */
const colleagueTables = (user: string): Tables => ({
  // First, because it reads the tables of the groups before they are limited.
  hidden_people: peopleHiddenFrom(user),
  // The people whom the person can find. "users" also has those with whom they have meetings or requests.
  colleagues: rowsOf('users', `id <> ${user} AND id ${IS_VISIBLE} AND deactivated_at IS NULL`),
  groups_of_rules: GROUPS_OF_RULES,
  ...personalTables(user, 'meetings'),
  users: rowsOf('users', `id = ${user} OR id ${IS_VISIBLE} OR ${participants} OR ${ofRequests(user)}`),
  bookings: `
  SELECT ${OWN_BY_USER} FROM bookings WHERE user_id = ${user}
  UNION ALL SELECT ${OWN_BY_EVENT} FROM bookings WHERE event_id IN (${OWN_EVENTS})
  UNION ALL SELECT ${CLAIM_OF_COLLEAGUES} FROM bookings WHERE user_id <> ${user} AND ${IS_SEAT}
  UNION ALL SELECT ${CLAIM_OF_OTHERS} FROM bookings WHERE user_id <> ${user} AND NOT (${IS_SEAT})
  UNION ALL SELECT ${CLAIM_OF_OTHERS} FROM bookings WHERE user_id IS NULL AND (event_id IS NULL OR event_id NOT IN (${OWN_EVENTS}))`,
  group_members: rowsOf(
    'group_members',
    `group_id IN (SELECT group_id FROM group_members WHERE user_id = ${user}) AND user_id ${IS_VISIBLE}`,
  ),
  bookable_assignees: rowsOf('bookable_assignees', `user_id = ${user} OR user_id ${IS_VISIBLE}`),
  user_texts: rowsOf('user_texts', `user_id = ${user} OR user_id ${IS_VISIBLE}`),
  // Includes rooms that the person's meetings have lost.
  cancelled_bookings: rowsOf('cancelled_bookings', `user_id = ${user} OR event_id IN (${OWN_EVENTS})`),
  person_sessions: ofUser('person_sessions', user),
  sign_in_links: ofUser('sign_in_links', user),
  // The waits of others show only the place and the time, so that a page can count how many are ahead of the person.
  waits: `
  SELECT id, user_id, bookable_id, location_id, type, during, state, created_at, ended_at, hold_id, vehicle_id, end_reason
    FROM waits WHERE user_id = ${user}
  UNION ALL SELECT id, NULL::bigint, bookable_id, location_id, type, during, state, NULL::timestamptz, NULL::timestamptz, NULL::bigint, NULL::bigint, NULL::text
    FROM waits WHERE user_id <> ${user} AND state = 'waiting'`,
})

/** The tables that are limited, whatever a statement of a person's page asks. */
export const COLLEAGUE_TABLES = [...Object.keys(colleagueTables('')), ...UNSHOWN_TABLES]

/** The statement as a person's own pages send it: after its number of `values`, the person is one more. */
export function limitTextToColleagues(text: string, values: number): string {
  const user = `$${values + 1}::bigint`
  const unshown = UNSHOWN_TABLES.map((table) => [table, rowsOf(table, 'false')])
  const tables = { ...colleagueTables(user), ...Object.fromEntries(unshown) }
  return limitTo(text, user, tables)
}

/** The limit of `use` for statements: after its number of `values`, the person is one more. */
export const limitTextToPerson = (use: keyof typeof OTHERS) => (text: string, values: number) => {
  const user = `$${values + 1}::bigint`
  // A subquery, so that a limit to buildings around it has its own tables of the same names.
  return `SELECT * FROM (${limitTo(text, user, personalTables(user, use))}) AS personal`
}
