// Erases a user: afterwards, nothing in the database identifies the user, but their past bookings and events still
// count in reports. For data without an index, upkeep searches for the terms stored here
// (workers/pollers/erasures/search.ts).
import type { Knex } from 'knex'
import { recordAudit, recordAuditOfEach } from '../audit/audit.ts'
import { BOOKABLE_STATUSES } from '../bookables/bookables.ts'
import type { Author } from '../changes/author.ts'
import { type FormerState, readFormerBuildings, readFormerState } from '../changes/former-state.ts'
import { recordChanges } from '../changes/record.ts'
import { getOnlyRow } from '../database/database.ts'
import { EVENT_STATUSES } from '../events/events.ts'
import { refuseDuringImport } from '../imports/import-lock.ts'
import { USER_TEXTS } from '../imports/user-columns.ts'
import { type Message, message } from '../messages/message.ts'
import { Refusal } from '../messages/refusal.ts'
import { isPersonSql } from '../users/unknown-organizer.ts'
import type { Erasure } from '../users/users.ts'
import { forgetUserInCalendars } from './calendar-entries.ts'

export type ErasurePlan = Erasure & { name: string; email: string; isAdministrator: boolean }

type ErasurePlaceholders = { user: string; now: string }

const IS_UPCOMING_EVENT = `events.status = ${EVENT_STATUSES.confirmed} AND lower(events.during) >= `

/** SQL that counts what would change if the user were erased: one ErasurePlan, or no row if the user does not exist. */
export const erasurePlanSql = ({ user, now }: ErasurePlaceholders) => `
  SELECT users.name, users.email, held.*, organized.*,
    (SELECT count(*)::int FROM event_attendees JOIN events ON events.id = event_attendees.event_id
      WHERE user_id = users.id AND organizer_user_id <> users.id) AS attendances,
    (SELECT count(*)::int FROM bookable_assignees WHERE user_id = users.id) AS assignments,
    (SELECT count(*)::int FROM vehicles WHERE user_id = users.id) AS vehicles,
    EXISTS (
      SELECT FROM admins WHERE lower(admins.email) = lower(users.email) AND disabled_at IS NULL
    ) AS "isAdministrator"
  FROM users, LATERAL (
    SELECT count(*) FILTER (WHERE lower(during) >= ${now})::int AS "cancelledBookings",
      count(*) FILTER (WHERE lower(during) < ${now} AND during @> CAST(${now} AS timestamptz))::int AS "endedBookings",
      count(*) FILTER (WHERE lower(during) < ${now})::int AS "anonymousBookings"
    FROM bookings WHERE user_id = users.id
  ) AS held, LATERAL (
    SELECT count(*) FILTER (WHERE ${IS_UPCOMING_EVENT} ${now})::int AS "cancelledEvents",
      count(*)::int AS "anonymousEvents"
    FROM events WHERE organizer_user_id = users.id
  ) AS organized
  WHERE users.id = ${user} AND ${isPersonSql()}`

export async function planErasure(database: Knex, id: number, now: string): Promise<ErasurePlan> {
  const { rows } = await database.raw(erasurePlanSql({ user: ':id', now: ':now' }), { id, now })
  const plan: ErasurePlan | undefined = rows[0]
  if (!plan) throw new Refusal('not_found', message`There is no person with this id.`)
  return plan
}

/**
 * Returns why the user must not be erased: erasing a user must not remove an administrator's account as a side effect,
 * unless the administrator is disabled.
 */
export function describeObstacle({ isAdministrator }: ErasurePlan): Message | undefined {
  if (!isAdministrator) return undefined
  return message`This person is an administrator. Disable the administrator first: npm run admin -- disable --email EMAIL.`
}

export async function eraseUser(
  trx: Knex.Transaction,
  { id, now }: { id: number; now: string },
  author: Author,
): Promise<Erasure> {
  await lockUser(trx, id)
  const plan = await planErasure(trx, id, now)
  const obstacle = describeObstacle(plan)
  if (obstacle !== undefined) throw new Refusal('in_use', obstacle)
  const { name: _, email, isAdministrator: __, ...counts } = plan
  const anonymous = await ensureAnonymousUser(trx)
  const values = { id, now, anonymous, email }
  const theirs = await findAffectedRows(trx, id)
  const former = await readFormerBuildings(trx, 'users', [id])
  await insertErasure(trx, id)
  await anonymizeAdministrator(trx, email)
  await unassignUser(trx, id, author)
  await trx.raw(
    `DELETE FROM bookings USING events
     WHERE events.id = bookings.event_id AND events.organizer_user_id = :id AND ${IS_UPCOMING_EVENT} :now`,
    values,
  )
  // Deletes the visitors that the user invited. Colleagues whom the user invited are attendees in their own right, so
  // they stay.
  await trx.raw(
    `DELETE FROM event_attendees USING events
     WHERE events.id = event_attendees.event_id AND events.organizer_user_id = :id AND event_attendees.email IS NOT NULL`,
    values,
  )
  // Invitations to upcoming meetings stay until everybody has got the mail about the cancellation.
  await trx.raw(
    `DELETE FROM invitations USING events
     WHERE events.id = invitations.event_id AND events.organizer_user_id = :id AND lower(events.during) < :now`,
    values,
  )
  await trx.raw(
    `UPDATE events SET ${ANONYMIZE_EVENT_SQL},
       status = CASE WHEN ${IS_UPCOMING_EVENT} :now THEN ${EVENT_STATUSES.cancelled} ELSE status END
     WHERE organizer_user_id = :id`,
    values,
  )
  await trx.raw('DELETE FROM event_attendees WHERE user_id = :id', values)
  await trx.raw('DELETE FROM bookings WHERE user_id = :id AND lower(during) >= :now', values)
  await trx.raw('DELETE FROM absences WHERE user_id = :id', values)
  await trx.raw('DELETE FROM loans WHERE user_id = :id', values)
  await trx.raw('DELETE FROM waits WHERE user_id = :id', values)
  await trx.raw('DELETE FROM bookings USING holds WHERE holds.id = hold_id AND holds.user_id = :id', values)
  await trx.raw('DELETE FROM holds WHERE user_id = :id', values)
  await trx.raw('DELETE FROM hold_attendees WHERE user_id = :id', values)
  await trx.raw(
    `UPDATE bookings SET ${ANONYMIZE_BOOKING_SQL},
       during = during * tstzrange(NULL, CASE WHEN during @> CAST(:now AS timestamptz) THEN CAST(:now AS timestamptz) END)
     WHERE user_id = :id`,
    values,
  )
  await trx.raw('DELETE FROM cancelled_bookings WHERE user_id = :id', values)
  await trx.raw('DELETE FROM refused_bookings WHERE user_id = :id', values)
  await trx.raw('DELETE FROM tokens WHERE user_id = :id', values)
  await trx.raw('DELETE FROM users WHERE id = :id', values)
  await recordAudit(trx, author, {
    action: 'users.erase',
    id,
    former,
    after: counts,
  })
  for (const resource of ['bookings', 'booking_requests', 'events'] as const)
    await recordChanges(trx, author, { resource, action: 'updated' }, theirs[resource])
  return counts
}

/** Finds the bookings, requests and events that change when the user is erased. */
async function findAffectedRows(
  trx: Knex.Transaction,
  id: number,
): Promise<Record<'bookings' | 'booking_requests' | 'events', FormerState>> {
  const { rows } = await trx.raw(
    `SELECT (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM bookings WHERE user_id = :id) AS bookings,
       (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM holds WHERE kind = 'request'
         AND (user_id = :id OR id IN (SELECT hold_id FROM hold_attendees WHERE user_id = :id))) AS booking_requests,
       (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM (
         SELECT event_id AS id FROM event_attendees WHERE user_id = :id
         UNION SELECT id FROM events WHERE organizer_user_id = :id
       ) AS events) AS events`,
    { id },
  )
  const { bookings, booking_requests, events } =
    getOnlyRow<Record<'bookings' | 'booking_requests' | 'events', number[]>>(rows)
  return {
    bookings: await readFormerBuildings(trx, 'bookings', bookings),
    booking_requests: await readFormerBuildings(trx, 'booking_requests', booking_requests),
    events: await readFormerBuildings(trx, 'events', events),
  }
}

// Locks rows in the order of docs/decisions/0005. Bookings that are being made for the user finish first, and later
// bookings find no user.
async function lockUser(trx: Knex.Transaction, id: number): Promise<void> {
  await refuseDuringImport(trx)
  await trx.raw('SELECT FROM holds WHERE user_id = ? ORDER BY id FOR UPDATE', [id])
  await forgetUserInCalendars(trx, id)
  await trx.raw('SELECT FROM events WHERE organizer_user_id = ? ORDER BY id FOR UPDATE', [id])
  await trx.raw('SELECT FROM bookings WHERE user_id = ? ORDER BY id FOR UPDATE', [id])
  await trx.raw(
    `SELECT FROM bookables WHERE id IN (SELECT bookable_id FROM bookable_assignees WHERE user_id = ?)
     ORDER BY id FOR NO KEY UPDATE`,
    [id],
  )
  await trx.raw(`SELECT FROM users WHERE id = ? AND ${isPersonSql()} FOR UPDATE`, [id])
}

// SQL condition that the term is worth searching for. A licence plate “1” occurs in half of all texts, and
// numbers occur in all sorts of ids, so terms that identify no one are excluded. The length is in bytes,
// because a name may consist of two Chinese characters.
const IS_DISTINCTIVE = "octet_length(btrim(term)) >= 3 AND term ~ '[^0-9[:space:][:punct:]]'"

const NAME_COLUMNS = ['email', ...USER_TEXTS]

// Stores the user's current and former names. Terms that also name another user are not searched for.
async function insertErasure(trx: Knex.Transaction, id: number): Promise<void> {
  await trx.raw(
    `WITH said AS (
       SELECT before AS row FROM audit_log WHERE resource = 'users' AND resource_id = :id
       UNION ALL SELECT after FROM audit_log WHERE resource = 'users' AND resource_id = :id
       UNION ALL SELECT to_jsonb(users) FROM users WHERE id = :id
     ), terms AS (
       SELECT unnest(ARRAY[${NAME_COLUMNS.map((name) => `row ->> '${name}'`).join(', ')}]) AS term FROM said
       UNION SELECT jsonb_array_elements_text(row -> 'license_plates') FROM said
         WHERE jsonb_typeof(row -> 'license_plates') = 'array'
       UNION SELECT license_plate FROM vehicles WHERE user_id = :id
       UNION SELECT license_plate FROM bookings WHERE user_id = :id
     )
     INSERT INTO erasures (user_id, terms)
     SELECT :id, coalesce(array_agg(term ORDER BY term), '{}') FROM terms
     WHERE ${IS_DISTINCTIVE} AND NOT EXISTS (
       SELECT FROM users WHERE id <> :id AND lower(term) IN (${NAME_COLUMNS.map((name) => `lower(${name})`).join(', ')})
     ) AND NOT EXISTS (SELECT FROM vehicles WHERE user_id <> :id AND license_plate = term)`,
    { id },
  )
}

// Removes the name and e-mail of a disabled administrator who has the user's e-mail. Only their id remains.
async function anonymizeAdministrator(trx: Knex.Transaction, email: string): Promise<void> {
  await trx.raw(
    `WITH forgotten AS (
       UPDATE admins SET email = 'erased-' || id || '@berth.invalid', password_hash = '', updated_at = now()
       WHERE lower(email) = lower(?) RETURNING id
     )
     DELETE FROM sessions USING forgotten WHERE sessions.admin_id = forgotten.id`,
    [email],
  )
}

// Unassigns the user from a bookable. If the bookable has no other assignee, updates its status too, as when an
// administrator removes the last assignee.
async function unassignUser(trx: Knex.Transaction, id: number, author: Author): Promise<void> {
  const { rows } = await trx.raw(
    'DELETE FROM bookable_assignees WHERE user_id = ? RETURNING bookable_id AS id',
    [id],
  )
  const ids: number[] = rows.map((row: { id: number }) => row.id)
  const former = await readFormerState(trx, 'bookables', ids)
  const { rows: changed } = await trx.raw(
    `UPDATE bookables
     SET updated_at = now(), status = CASE
       WHEN status = ${BOOKABLE_STATUSES.assigned}
         AND NOT EXISTS (SELECT FROM bookable_assignees WHERE bookable_id = bookables.id)
         THEN ${BOOKABLE_STATUSES.flexible}
       ELSE status END
     WHERE id = ANY(?::bigint[])
     RETURNING id, jsonb_build_object('status', status, 'assignees', ARRAY(
       SELECT user_id FROM bookable_assignees WHERE bookable_id = bookables.id ORDER BY 1)) AS after`,
    [ids],
  )
  await recordAuditOfEach(trx, author, 'bookables.unassign', former, changed)
}

/** Returns the id of the anonymous user. Creates the user when it is first needed. */
export async function ensureAnonymousUser(database: Knex): Promise<number> {
  const find = () => database.raw('SELECT id FROM users WHERE is_anonymous')
  const { rows } = await find()
  if (rows.length > 0) return rows[0].id
  // No company has e-mail addresses in this domain: see RFC 2606.
  await database.raw(
    `INSERT INTO users (name, email, deactivated_at, is_anonymous)
     VALUES ('Anonymous', 'anonymous-' || gen_random_uuid() || '@berth.invalid', now(), true)
     ON CONFLICT (is_anonymous) WHERE is_anonymous DO NOTHING`,
  )
  return getOnlyRow<{ id: number }>((await find()).rows).id
}

/** SQL that removes the personal data of a booking. */
export const ANONYMIZE_BOOKING_SQL = `
  user_id = :anonymous, guest_name = NULL, guest_email = NULL, booking_info = NULL, vehicle_id = NULL,
  license_plate = NULL, booked_by_user_id = NULL, updated_at = now()`

/**
 * SQL that removes the personal data of an event. Its name and description are personal data, because they may contain
 * anyone's name.
 */
export const ANONYMIZE_EVENT_SQL =
  "organizer_user_id = :anonymous, name = 'Event', description = '', updated_at = now()"
