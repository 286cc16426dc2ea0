// Erases a user: nothing in the database identifies the user any more, but past bookings and events still
// count. Upkeep searches whatever has no index (workers/pollers/erasures/search.ts) for the terms stored here.
import type { Knex } from 'knex'
import { audit, auditEach } from '../audit/audit.ts'
import { BOOKABLE_STATUSES } from '../bookables/bookables.ts'
import type { Author } from '../changes/author.ts'
import { type Former, readFormer, readFormerPlaces } from '../changes/former.ts'
import { recordChanges } from '../changes/record.ts'
import { onlyRow } from '../database/database.ts'
import { EVENT_STATUSES } from '../events/events.ts'
import { refuseDuringImport } from '../imports/import-lock.ts'
import { USER_TEXTS } from '../imports/user-columns.ts'
import { type Message, message } from '../messages/message.ts'
import { Refusal } from '../messages/refusal.ts'
import type { Erasure } from '../users/users.ts'

export type ErasurePlan = Erasure & { name: string; email: string; isAdministrator: boolean }

type Placeholders = { user: string; now: string }

const UPCOMING_EVENT = `events.status = ${EVENT_STATUSES.confirmed} AND lower(events.during) >= `

/** SQL that counts what erasing a user does: one ErasurePlan, or no row if there is no such user. */
export const erasurePlanSql = ({ user, now }: Placeholders) => `
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
    SELECT count(*) FILTER (WHERE ${UPCOMING_EVENT} ${now})::int AS "cancelledEvents",
      count(*)::int AS "anonymousEvents"
    FROM events WHERE organizer_user_id = users.id
  ) AS organized
  WHERE users.id = ${user} AND NOT users.is_anonymous`

export async function planErasure(database: Knex, id: number, now: string): Promise<ErasurePlan> {
  const { rows } = await database.raw(erasurePlanSql({ user: ':id', now: ':now' }), { id, now })
  const plan: ErasurePlan | undefined = rows[0]
  if (!plan) throw new Refusal('not_found', message`There is no person with this id.`)
  return plan
}

/** Administrators must not be erased as a side effect, except disabled ones. */
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
  const theirs = await findAffected(trx, id)
  const former = await readFormerPlaces(trx, 'users', [id])
  await insertErasure(trx, id)
  await forgetAdministrator(trx, email)
  await unassign(trx, id, author)
  await trx.raw(
    `DELETE FROM bookings USING events
     WHERE events.id = bookings.event_id AND events.organizer_user_id = :id AND ${UPCOMING_EVENT} :now`,
    values,
  )
  // The visitors that the user invited; colleagues were attendees in their own right.
  await trx.raw(
    `DELETE FROM event_attendees USING events
     WHERE events.id = event_attendees.event_id AND events.organizer_user_id = :id AND event_attendees.email IS NOT NULL`,
    values,
  )
  await trx.raw(
    `UPDATE events SET ${ANONYMIZE_EVENT},
       status = CASE WHEN ${UPCOMING_EVENT} :now THEN ${EVENT_STATUSES.cancelled} ELSE status END
     WHERE organizer_user_id = :id`,
    values,
  )
  await trx.raw('DELETE FROM event_attendees WHERE user_id = :id', values)
  await trx.raw('DELETE FROM bookings WHERE user_id = :id AND lower(during) >= :now', values)
  await trx.raw('DELETE FROM waits WHERE user_id = :id', values)
  await trx.raw('DELETE FROM bookings USING holds WHERE holds.id = hold_id AND holds.user_id = :id', values)
  await trx.raw('DELETE FROM holds WHERE user_id = :id', values)
  await trx.raw(
    `UPDATE bookings SET ${ANONYMIZE_BOOKING},
       during = during * tstzrange(NULL, CASE WHEN during @> CAST(:now AS timestamptz) THEN CAST(:now AS timestamptz) END)
     WHERE user_id = :id`,
    values,
  )
  await trx.raw('DELETE FROM cancelled_bookings WHERE user_id = :id', values)
  await trx.raw('DELETE FROM refused_bookings WHERE user_id = :id', values)
  await trx.raw('DELETE FROM tokens WHERE user_id = :id', values)
  await trx.raw('DELETE FROM users WHERE id = :id', values)
  await audit(trx, author, {
    action: 'users.erase',
    id,
    former,
    after: counts,
  })
  for (const resource of ['bookings', 'booking_requests', 'events'] as const)
    await recordChanges(trx, author, { resource, action: 'updated' }, theirs[resource])
  return counts
}

/** The bookings, requests and events that change when the user is gone. */
async function findAffected(
  trx: Knex.Transaction,
  id: number,
): Promise<Record<'bookings' | 'booking_requests' | 'events', Former>> {
  const { rows } = await trx.raw(
    `SELECT (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM bookings WHERE user_id = :id) AS bookings,
       (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM holds WHERE user_id = :id AND kind = 'request') AS booking_requests,
       (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM (
         SELECT event_id AS id FROM event_attendees WHERE user_id = :id
         UNION SELECT id FROM events WHERE organizer_user_id = :id
       ) AS events) AS events`,
    { id },
  )
  const { bookings, booking_requests, events } =
    onlyRow<Record<'bookings' | 'booking_requests' | 'events', number[]>>(rows)
  return {
    bookings: await readFormerPlaces(trx, 'bookings', bookings),
    booking_requests: await readFormerPlaces(trx, 'booking_requests', booking_requests),
    events: await readFormerPlaces(trx, 'events', events),
  }
}

// Locks in the order of docs/decisions/0005. Bookings being made for the user at this moment finish first,
// and later ones find no user.
async function lockUser(trx: Knex.Transaction, id: number): Promise<void> {
  await refuseDuringImport(trx)
  await trx.raw('SELECT FROM holds WHERE user_id = ? ORDER BY id FOR UPDATE', [id])
  await trx.raw('SELECT FROM events WHERE organizer_user_id = ? ORDER BY id FOR UPDATE', [id])
  await trx.raw(
    `SELECT FROM bookables WHERE id IN (SELECT bookable_id FROM bookable_assignees WHERE user_id = ?)
     ORDER BY id FOR NO KEY UPDATE`,
    [id],
  )
  await trx.raw('SELECT FROM users WHERE id = ? AND NOT is_anonymous FOR UPDATE', [id])
}

// A plate of “1” occurs in half of all texts, and a number in all sorts of ids, so terms that identify no one
// are not searched for. Counts bytes, because a name may have two Chinese characters.
const IS_DISTINCTIVE = "octet_length(btrim(term)) >= 3 AND term ~ '[^0-9[:space:][:punct:]]'"

const NAMES = ['email', ...USER_TEXTS]

// The user's present and former names. Terms that also name another user are not searched for.
async function insertErasure(trx: Knex.Transaction, id: number): Promise<void> {
  await trx.raw(
    `WITH said AS (
       SELECT before AS row FROM audit_log WHERE resource = 'users' AND resource_id = :id
       UNION ALL SELECT after FROM audit_log WHERE resource = 'users' AND resource_id = :id
       UNION ALL SELECT to_jsonb(users) FROM users WHERE id = :id
     ), terms AS (
       SELECT unnest(ARRAY[${NAMES.map((name) => `row ->> '${name}'`).join(', ')}]) AS term FROM said
       UNION SELECT jsonb_array_elements_text(row -> 'license_plates') FROM said
         WHERE jsonb_typeof(row -> 'license_plates') = 'array'
       UNION SELECT license_plate FROM vehicles WHERE user_id = :id
       UNION SELECT license_plate FROM bookings WHERE user_id = :id
     )
     INSERT INTO erasures (user_id, terms)
     SELECT :id, coalesce(array_agg(term ORDER BY term), '{}') FROM terms
     WHERE ${IS_DISTINCTIVE} AND NOT EXISTS (
       SELECT FROM users WHERE id <> :id AND lower(term) IN (${NAMES.map((name) => `lower(${name})`).join(', ')})
     ) AND NOT EXISTS (SELECT FROM vehicles WHERE user_id <> :id AND license_plate = term)`,
    { id },
  )
}

// A disabled administrator with this e-mail stays as an id without a name.
async function forgetAdministrator(trx: Knex.Transaction, email: string): Promise<void> {
  await trx.raw(
    `WITH forgotten AS (
       UPDATE admins SET email = 'erased-' || id || '@berth.invalid', password_hash = '', updated_at = now()
       WHERE lower(email) = lower(?) RETURNING id
     )
     DELETE FROM sessions USING forgotten WHERE sessions.admin_id = forgotten.id`,
    [email],
  )
}

// As when the last assignee is removed by hand: the status follows from the assignees.
async function unassign(trx: Knex.Transaction, id: number, author: Author): Promise<void> {
  const { rows } = await trx.raw(
    'DELETE FROM bookable_assignees WHERE user_id = ? RETURNING bookable_id AS id',
    [id],
  )
  const ids: number[] = rows.map((row: { id: number }) => row.id)
  const former = await readFormer(trx, 'bookables', ids)
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
  await auditEach(trx, author, 'bookables.unassign', former, changed)
}

/** The id; the row is created on first use. */
export async function ensureAnonymousUser(database: Knex): Promise<number> {
  const find = () => database.raw('SELECT id FROM users WHERE is_anonymous')
  const { rows } = await find()
  if (rows.length > 0) return rows[0].id
  // No company has addresses in this domain: see RFC 2606.
  await database.raw(
    `INSERT INTO users (name, email, deactivated_at, is_anonymous)
     VALUES ('Anonymous', 'anonymous-' || gen_random_uuid() || '@berth.invalid', now(), true)
     ON CONFLICT (is_anonymous) WHERE is_anonymous DO NOTHING`,
  )
  return onlyRow<{ id: number }>((await find()).rows).id
}

/** Removes the personal data of a booking. */
export const ANONYMIZE_BOOKING = `
  user_id = :anonymous, guest_name = NULL, guest_email = NULL, booking_info = NULL, vehicle_id = NULL,
  license_plate = NULL, updated_at = now()`

/** The same for an event, whose name and description may contain anyone's name. */
export const ANONYMIZE_EVENT =
  "organizer_user_id = :anonymous, name = 'Event', description = '', updated_at = now()"
