// Makes mails to people from the outbox, as webhooks get their deliveries (workers/hooks/make-deliveries.ts): each change of
// a booking or of a request is counted once, in the transaction that moves the position.
import type { Knex } from 'knex'
import { decidersOf } from '../../../shared/booking-requests/booking-requests-shape.ts'
import { CHANGES_ORDER, SERVED_UNTIL, servedChanges } from '../../../shared/changes/read.ts'
import { LOCKS, tryLock } from '../../../shared/database/locks.ts'
import { ANSWERS } from './hold-mails.ts'
import { lostRooms } from './lost-rooms.ts'

const CHANGES_MAX = 1_000
// Long enough to undo it, or to move it again.
const SETTLES_AFTER = "interval '15 seconds'"
// After a longer outage nobody gets mail about what has been.
const CHANGES_TOLD = "interval '1 day'"

type Position = { horizon: number; sequence: number; at: string }

/** Returns whether there may be more at once. The position begins with its migration. */
export async function queueBookingMails(database: Knex): Promise<boolean> {
  return database.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: Array<{ isLocked: boolean; position: Position | null }> }>(
      TAKE_TURN,
    )
    const [turn] = rows
    if (!turn?.isLocked || !turn.position) return false
    const found = await trx.raw<{ rows: Position[] }>(FIND_NEXT, { ...turn.position, limit: CHANGES_MAX })
    const last = found.rows.at(-1)
    if (!last) return false
    const values = { last: last.horizon, end: last.sequence, lastAt: last.at }
    await trx.raw(QUEUE, { ...turn.position, ...values })
    return found.rows.length === CHANGES_MAX
  })
}

const TAKE_TURN = `
  SELECT ${tryLock(LOCKS.mailPosition)} AS "isLocked",
    (SELECT json_build_object('horizon', horizon, 'sequence', sequence, 'at', at) FROM mail_position) AS position`

const NOTE_SENDER = `
  UPDATE mail_position SET sender_at = now() WHERE sender_at IS NULL OR sender_at < now() - interval '15 seconds'`

/** Each process that turns changes into mails calls it, so that processes that cannot know of it. */
export async function noteSender(database: Knex): Promise<void> {
  await database.raw(NOTE_SENDER)
}

const SENDER_GONE_AFTER = "interval '1 minute'"

const SKIP = `
  UPDATE mail_position SET horizon = ${SERVED_UNTIL}, sequence = 0, at = now()
  WHERE (sender_at IS NULL OR sender_at < now() - ${SENDER_GONE_AFTER}) AND ${tryLock(LOCKS.mailPosition)}
  RETURNING sender_at IS NOT NULL AS "wasSent"`

/**
 * For a process that sends no mail to people: skips changes while no other process sends mail either, so that they never become
 * mails. Returns whether a process has ever sent mail; undefined if one does now.
 */
export async function skipChanges(database: Knex): Promise<boolean | undefined> {
  const { rows } = await database.raw<{ rows: Array<{ wasSent: boolean }> }>(SKIP)
  return rows[0]?.wasSent
}

const behind = servedChanges({ horizon: ':horizon', sequence: ':sequence', at: 'CAST(:at AS timestamptz)' })

const FIND_NEXT = `SELECT horizon, sequence, at ${behind} ORDER BY ${CHANGES_ORDER} LIMIT :limit`

// The answer to a request that is approved is the invitation to what is booked.
const IS_ANSWER = `action = 'created' AND NOT 'approval' = ANY (muted)
  AND EXISTS (SELECT FROM holds WHERE holds.booking_id = resource_id AND kind = 'request' AND holds.user_id = people.id)`

// Of one's own changes and of new bookings, a person gets confirmations.
const IS_OWN = `((actor_type = 'user' AND actor_id = people.id)
    OR (actor_type = 'token' AND EXISTS (SELECT FROM tokens WHERE tokens.id = actor_id AND tokens.user_id = people.id)))`
const KIND = `CASE WHEN ${IS_ANSWER} THEN 'approval' WHEN action IN ('created', 'restored') OR ${IS_OWN}
  THEN 'confirmation' ELSE 'changed' END`

const endOf = (data: string) => `(${data} ->> 'to')::timestamptz`
const holderOf = (data: string) => `(${data} -> 'user' ->> 'id')::bigint`

/** A request asks no more people than that. */
const ASKED_MAX = 200

// A new request asks those who may decide it; the person who asked learns of one that ends without a booking.
const ABOUT_REQUESTS = `
  SELECT deciders.id AS user_id, holds.id AS hold_id
  FROM page JOIN holds ON holds.id = resource_id AND holds.state = 'pending' AND holds.expires_at > now()
  CROSS JOIN LATERAL (
    SELECT users.id FROM (${decidersOf('holds.bookable_id')}) AS deciders JOIN users USING (id)
    WHERE users.deactivated_at IS NULL AND users.id <> holds.user_id GROUP BY users.id ORDER BY min(turn), users.id LIMIT ${ASKED_MAX}
  ) AS deciders WHERE type = 'booking_request' AND action = 'created'
  UNION
  SELECT holds.user_id, holds.id FROM page JOIN holds ON holds.id = resource_id
  WHERE type = 'booking_request' AND holds.state = ANY ('{${ANSWERS.join(',')}}')
    AND holds.decided_at > now() - ${CHANGES_TOLD}`

// One mail per attempt. Changes of the release before have no attempt: each of them becomes a mail of its own.
// What a person knew before the first change is what the booking was, or nothing if it is new to them.
const QUEUE = `
  WITH page AS (
    SELECT horizon, sequence, at, type, resource_id, action, actor_type, actor_id, attempt,
      data::json AS data, previous::json AS previous
    ${behind} AND (horizon, sequence) <= (:last, :end)
      AND type IN ('booking', 'booking_request', 'event') AND action <> 'checked_in' AND at > now() - ${CHANGES_TOLD}
  ), concerned AS (
    SELECT page.*, muted, people.id AS user_id, ${KIND} AS kind,
      ${holderOf('previous')} = people.id AS is_known
    FROM page, LATERAL (
      SELECT ${holderOf('data')} AS id UNION SELECT ${holderOf('previous')}
    ) AS holders JOIN users AS people USING (id)
    LEFT JOIN person_settings ON person_settings.user_id = people.id
    CROSS JOIN LATERAL (SELECT coalesce(muted_mails, '{}') AS muted) AS wishes
    WHERE type = 'booking' AND people.deactivated_at IS NULL AND NOT people.is_anonymous
      AND greatest(coalesce(${endOf('data')}, 'infinity'), coalesce(${endOf('previous')}, '-infinity')) > now()
  ), wanted AS (
    SELECT * FROM concerned WHERE NOT kind = ANY (muted)
  ), known AS (
    INSERT INTO told_bookings (user_id, booking_id, bookable_id, during)
    SELECT DISTINCT ON (user_id, resource_id) user_id, resource_id,
      CASE WHEN is_known THEN (previous -> 'bookable' ->> 'id')::bigint END,
      CASE WHEN is_known THEN tstzrange((previous ->> 'from')::timestamptz, ${endOf('previous')}) END
    FROM wanted ORDER BY user_id, resource_id, horizon, sequence
    ON CONFLICT DO NOTHING
  ), lost AS (
    ${lostRooms({ isOwn: IS_OWN })}
  ), news AS (
    SELECT type, resource_id, kind, user_id, attempt, resource_id AS booking_id, NULL::jsonb AS room, actor_type, actor_id, at
    FROM wanted
    UNION ALL
    SELECT type, resource_id, 'changed', user_id, attempt, NULL, jsonb_build_object('event', resource_id, 'bookable', bookable_id),
      actor_type, actor_id, at
    FROM lost
  ), queued AS (
    INSERT INTO mails (kind, user_id, change_attempt, booking_ids, lost_rooms, actor_type, actor_id, created_at, next_at)
    SELECT kind, user_id, attempt, coalesce(array_agg(DISTINCT booking_id) FILTER (WHERE booking_id IS NOT NULL), '{}'),
      jsonb_agg(DISTINCT room) FILTER (WHERE room IS NOT NULL), (array_agg(actor_type))[1],
      (array_agg(actor_id))[1], max(at), now() + ${SETTLES_AFTER}
    FROM news GROUP BY user_id, kind, attempt, CASE WHEN attempt IS NULL THEN (type, resource_id) END
    ON CONFLICT (user_id, kind, change_attempt) WHERE change_attempt IS NOT NULL AND attempts = 0
    DO UPDATE SET booking_ids = ARRAY(SELECT DISTINCT unnest(mails.booking_ids || excluded.booking_ids)),
      lost_rooms = CASE WHEN excluded.lost_rooms IS NULL THEN mails.lost_rooms
        ELSE coalesce(mails.lost_rooms, '[]') || excluded.lost_rooms END
  ), asked AS (
    INSERT INTO mails (kind, user_id, hold_id, next_at)
    SELECT 'approval', user_id, hold_id, now() + ${SETTLES_AFTER}
    FROM (${ABOUT_REQUESTS}) AS told LEFT JOIN person_settings USING (user_id)
    WHERE NOT 'approval' = ANY (coalesce(muted_mails, '{}'))
    ON CONFLICT DO NOTHING
  )
  UPDATE mail_position SET horizon = :last, sequence = :end, at = CAST(:lastAt AS timestamptz)`
