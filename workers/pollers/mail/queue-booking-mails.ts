// Creates mails to people from the outbox, in the same way as webhook deliveries (workers/hooks/make-deliveries.ts).
// Each change of a booking or a request is processed once, in the transaction that advances the position in the outbox.
import type { Knex } from 'knex'
import { isAwaySql } from '../../../shared/absences/absences-shape.ts'
import { decidersSql } from '../../../shared/booking-requests/booking-requests-shape.ts'
import { OUTBOX_ORDER, SERVED_HORIZON_SQL, servedChangesSql } from '../../../shared/changes/read.ts'
import { LOCKS, tryLockSql } from '../../../shared/database/locks.ts'
import { zoneSql } from '../../jobs/claims/locks.ts'
import { queueAnswerMailsSql } from './answer-mails.ts'
import { type Channel, MAIL_CHANNEL } from './channels.ts'
import { HAS_OUTCOME_MAIL } from './hold-mails.ts'
import { lostRoomsSql } from './lost-rooms.ts'
import { queueInvitationsSql, reassignInvitations } from './queue-invitations.ts'

export const CHANGES_PER_RUN_MAX = 1_000
// The limit on the attendees of the meetings in one statement, unless a single meeting has more.
const ATTENDEES_MAX = 5_000
// How long a mail waits after a change. During this time, the person can undo the change, or move the booking
// again.
const MAIL_DELAY = "interval '15 seconds'"

export type Position = { horizon: number; sequence: number; at: string }
/** `attendees` is the number of attendees of the meetings so far, up to and including this change. */
type NextChange = Position & { eventId: number | null; attendees: number }

/**
 * Queues mails about changes. Returns whether there may be more changes to process immediately. The row with the
 * position exists from its migration on.
 */
export async function queueBookingMails(database: Knex): Promise<boolean> {
  return database.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: Array<{ isLocked: boolean; position: Position | null }> }>(
      TAKE_TURN_SQL,
    )
    const [turn] = rows
    if (!turn?.isLocked || !turn.position) return false
    const { rows: next } = await trx.raw<{ rows: NextChange[] }>(FIND_NEXT_SQL, {
      ...turn.position,
      limit: CHANGES_PER_RUN_MAX,
    })
    const taken = next.filter(({ attendees }, index) => index === 0 || attendees <= ATTENDEES_MAX)
    const last = taken.at(-1)
    if (!last) return false
    await reassignInvitations(trx, [...new Set(taken.flatMap(({ eventId }) => eventId ?? []))])
    const values = { last: last.horizon, end: last.sequence, lastAt: last.at }
    await trx.raw(QUEUE_SQL, { ...turn.position, ...values })
    return taken.length < next.length || next.length === CHANGES_PER_RUN_MAX
  })
}

const TAKE_TURN_SQL = `
  SELECT ${tryLockSql(LOCKS.mailPosition)} AS "isLocked",
    (SELECT json_build_object('horizon', horizon, 'sequence', sequence, 'at', at) FROM mail_position) AS position`

const RECORD_SENDER_SQL = `
  UPDATE mail_position SET sender_at = now() WHERE sender_at IS NULL OR sender_at < now() - interval '15 seconds'`

/** Records that this process turns changes into mails, so that processes without a mail server know that one does. */
export async function recordSender(database: Knex): Promise<void> {
  await database.raw(RECORD_SENDER_SQL)
}

const SENDER_GONE_AFTER = "interval '1 minute'"

const SKIP_SQL = `
  UPDATE mail_position SET horizon = ${SERVED_HORIZON_SQL}, sequence = 0, at = now()
  WHERE (sender_at IS NULL OR sender_at < now() - ${SENDER_GONE_AFTER}) AND ${tryLockSql(LOCKS.mailPosition)}
  RETURNING sender_at IS NOT NULL AS "wasSent"`

/**
 * Runs in a process that sends no mail to people. Skips changes while no other process sends mail either, so that they
 * never become mails. Returns whether a process has ever sent mail, or undefined if another process sends mail now.
 */
export async function skipChanges(database: Knex): Promise<boolean | undefined> {
  const { rows } = await database.raw<{ rows: Array<{ wasSent: boolean }> }>(SKIP_SQL)
  return rows[0]?.wasSent
}

export const changesBehindSql = servedChangesSql({
  horizon: ':horizon',
  sequence: ':sequence',
  at: 'CAST(:at AS timestamptz)',
})

const FIND_NEXT_SQL = `
  SELECT horizon, sequence, at, events.id AS "eventId",
    sum((SELECT count(*) FROM event_attendees WHERE event_id = events.id)) OVER (ORDER BY ${OUTBOX_ORDER})::int AS attendees
  FROM (SELECT horizon, sequence, at, type, resource_id ${changesBehindSql} ORDER BY ${OUTBOX_ORDER} LIMIT :limit) AS next
  LEFT JOIN events ON type = 'event' AND events.id = resource_id AND invites
  ORDER BY ${OUTBOX_ORDER}`

// SQL condition that the booking answers an approved request. The invitation to the booking is the only mail
// about that answer.
const IS_APPROVAL_SQL = `action = 'created' AND NOT 'approval' = ANY (muted)
  AND EXISTS (SELECT FROM holds WHERE holds.booking_id = resource_id AND kind = 'request' AND holds.user_id = people.id)`

// SQL condition that the mail is a confirmation. People get confirmations of new bookings and of their own
// changes.
export const IS_OWN_CHANGE_SQL = `((actor_type = 'user' AND actor_id = people.id)
    OR (actor_type = 'token' AND EXISTS (SELECT FROM tokens WHERE tokens.id = actor_id AND tokens.user_id = people.id)))`
// SQL for the kind of the mail. A booking by a colleague counts as a change by somebody else, because few people turn
// off mails about such changes.
const kindSql = (
  confirmedActions: string,
) => `CASE WHEN ${IS_APPROVAL_SQL} THEN 'approval' WHEN action = 'created' AND EXISTS (
    SELECT FROM bookings WHERE id = resource_id AND user_id = people.id AND booked_by_user_id IS NOT NULL) THEN 'changed' WHEN action IN (${confirmedActions}) OR ${IS_OWN_CHANGE_SQL}
  THEN 'confirmation' ELSE 'changed' END`

export const endSql = (data: string) => `(${data} ->> 'to')::timestamptz`
export const holderSql = (data: string) => `(${data} -> 'user' ->> 'id')::bigint`

/** The limit on approvers who get a mail about one request. */
const APPROVERS_MAILED_MAX = 200

// SQL condition that the approver is away today. If all approvers are away, all of them get the request.
const IS_DECIDER_AWAY_SQL = isAwaySql('users.id', `(now() AT TIME ZONE ${zoneSql('holds.bookable_id')})`)

// SQL for mails about requests. The approvers get a mail about a new request. The requester gets a mail about the
// outcome, unless the booking or the meeting has a mail of its own.
const requestMailsSql = (ageMax: string) => `
  SELECT deciders.id AS user_id, holds.id AS hold_id
  FROM page JOIN holds ON holds.id = resource_id AND holds.state = 'pending' AND holds.expires_at > now()
  CROSS JOIN LATERAL (
    SELECT id FROM (
      SELECT users.id, min(turn) AS turn, ${IS_DECIDER_AWAY_SQL} AS is_away, bool_and(${IS_DECIDER_AWAY_SQL}) OVER () AS are_all_away
      FROM (${decidersSql('holds.bookable_id')}) AS deciders JOIN users USING (id)
      WHERE users.deactivated_at IS NULL AND users.id <> holds.user_id GROUP BY users.id
    ) AS present WHERE are_all_away OR NOT is_away ORDER BY turn, id LIMIT ${APPROVERS_MAILED_MAX}
  ) AS deciders WHERE type = 'booking_request' AND action = 'created'
  UNION
  SELECT holds.user_id, holds.id FROM page JOIN holds ON holds.id = resource_id
  WHERE type = 'booking_request' AND ${HAS_OUTCOME_MAIL}
    AND holds.decided_at > now() - ${ageMax}`

/**
 * SQL for the start of a statement that queues one mail or push for each attempt. Changes by the previous release have
 * no attempt, so each of them gets its own mail. For a booking without a record, also records what the person knew: the
 * booking before the first change, or nothing if the booking is new to them.
 */
export const queueChangesSql = ({
  queue,
  told,
  refusedKindsSql,
  changeAgeMax,
  confirmedActions,
}: Channel) => `
  WITH changed AS (
    SELECT horizon, sequence, at, type, resource_id, action, actor_type, actor_id, attempt,
      data::json AS data, previous::json AS previous
    ${changesBehindSql} AND (horizon, sequence) <= (:last, :end)
      AND type IN ('booking', 'booking_request', 'event') AND action <> 'checked_in'
  ), page AS (
    -- Older changes cause no message, for example after a long outage. Mails about meetings with invitations are an
    -- exception, because calendars would stay wrong.
    SELECT * FROM changed WHERE at > now() - ${changeAgeMax}
  ), concerned AS (
    SELECT page.*, muted, people.id AS user_id, ${kindSql(confirmedActions)} AS kind,
      ${holderSql('previous')} = people.id AS is_known
    FROM page, LATERAL (
      SELECT ${holderSql('data')} AS id UNION SELECT ${holderSql('previous')}
    ) AS holders JOIN users AS people USING (id)
    LEFT JOIN person_settings ON person_settings.user_id = people.id
    CROSS JOIN LATERAL (SELECT ${refusedKindsSql} AS muted) AS wishes
    WHERE type = 'booking' AND people.deactivated_at IS NULL AND NOT people.is_anonymous
      AND greatest(coalesce(${endSql('data')}, 'infinity'), coalesce(${endSql('previous')}, '-infinity')) > now()
  ), wanted AS (
    SELECT * FROM concerned WHERE NOT kind = ANY (muted)
  ), known AS (
    INSERT INTO ${told} (user_id, booking_id, bookable_id, during)
    SELECT DISTINCT ON (user_id, resource_id) user_id, resource_id,
      CASE WHEN is_known THEN (previous -> 'bookable' ->> 'id')::bigint END,
      CASE WHEN is_known THEN tstzrange((previous ->> 'from')::timestamptz, ${endSql('previous')}) END
    FROM wanted ORDER BY user_id, resource_id, horizon, sequence
    ON CONFLICT DO NOTHING
  ), lost AS (
    ${lostRoomsSql({ isOwn: IS_OWN_CHANGE_SQL, refusedKindsSql })}
  ), news AS (
    SELECT type, resource_id, kind, user_id, attempt, resource_id AS booking_id, NULL::jsonb AS room, actor_type, actor_id, at
    FROM wanted
    UNION ALL
    SELECT type, resource_id, 'changed', user_id, attempt, NULL, jsonb_build_object('event', resource_id, 'bookable', bookable_id),
      actor_type, actor_id, at
    FROM lost WHERE NOT is_in_invitation
  ), queued AS (
    INSERT INTO ${queue} (kind, user_id, change_attempt, booking_ids, lost_rooms, actor_type, actor_id, created_at, next_at)
    SELECT kind, user_id, attempt, coalesce(array_agg(DISTINCT booking_id) FILTER (WHERE booking_id IS NOT NULL), '{}'),
      jsonb_agg(DISTINCT room) FILTER (WHERE room IS NOT NULL), (array_agg(actor_type))[1],
      (array_agg(actor_id))[1], max(at), now() + ${MAIL_DELAY}
    FROM news GROUP BY user_id, kind, attempt, CASE WHEN attempt IS NULL THEN (type, resource_id) END
    ON CONFLICT (user_id, kind, change_attempt) WHERE change_attempt IS NOT NULL AND attempts = 0
    DO UPDATE SET booking_ids = ARRAY(SELECT DISTINCT unnest(${queue}.booking_ids || excluded.booking_ids)),
      lost_rooms = CASE WHEN excluded.lost_rooms IS NULL THEN ${queue}.lost_rooms
        ELSE coalesce(${queue}.lost_rooms, '[]') || excluded.lost_rooms END
  ), asked AS (
    INSERT INTO ${queue} (kind, user_id, hold_id, next_at)
    SELECT 'approval', user_id, hold_id, now() + ${MAIL_DELAY}
    FROM (${requestMailsSql(changeAgeMax)}) AS told LEFT JOIN person_settings USING (user_id)
    WHERE NOT 'approval' = ANY (${refusedKindsSql})
    ON CONFLICT DO NOTHING
  )`

const QUEUE_SQL = `${queueChangesSql(MAIL_CHANNEL)}, ${queueInvitationsSql(MAIL_DELAY)}, ${queueAnswerMailsSql(MAIL_DELAY)}
  UPDATE mail_position SET horizon = :last, sequence = :end, at = CAST(:lastAt AS timestamptz)`
