// Queues mails to the attendees and organizers of meetings with invitations.
import type { Knex } from 'knex'

// Moves invitations between guests and users with the same address: from a guest to a user who attends now, and from a
// user who no longer attends to a guest. Calendar programs know both by the same UID.
const REASSIGN_SQL = `
  UPDATE invitations SET user_id = reassigned.user_id, email = reassigned.email
  FROM (
    SELECT invitations.id, attending.event_id, attending.user_id, NULL AS email
    FROM invitations JOIN users ON lower(users.email) = lower(invitations.email)
    JOIN event_attendees AS attending ON attending.event_id = invitations.event_id AND attending.user_id = users.id
    WHERE invitations.event_id = ANY (:events)
    UNION ALL
    SELECT invitations.id, attending.event_id, NULL, attending.email
    FROM invitations JOIN users ON users.id = invitations.user_id
    JOIN event_attendees AS attending ON attending.event_id = invitations.event_id AND lower(attending.email) = lower(users.email)
    WHERE invitations.event_id = ANY (:events) AND NOT EXISTS (
      SELECT FROM event_attendees AS own WHERE own.event_id = invitations.event_id AND own.user_id = users.id)
  ) AS reassigned
  WHERE invitations.id = reassigned.id AND NOT EXISTS (
    SELECT FROM invitations AS others WHERE others.event_id = reassigned.event_id
      AND (others.user_id = reassigned.user_id OR lower(others.email) = lower(reassigned.email)))`

/** Keeps the invitation of a person who attended as a guest before and attends as a user now, or the reverse. */
export async function reassignInvitations(trx: Knex.Transaction, events: number[]): Promise<void> {
  if (events.length > 0) await trx.raw(REASSIGN_SQL, { events })
}

/**
 * SQL for the address of an invitation. In a series, it identifies the person, who may be a guest on one date and a
 * user on another. Their calendar program knows all dates as one entry.
 */
export const addressSql = (invitations: string, users: string) =>
  `lower(coalesce(${users}.email, ${invitations}.email))`

/**
 * SQL for WITH that queues mails about the meetings in `changed`. Creates an invitation for each attendee who has none,
 * and a mail for each invitation that has no waiting mail. For a series, a person gets one mail, which belongs to their
 * first invitation. When the mail is due, Berth decides whether there is anything to say. The mail to the organizer
 * also names the rooms that the meeting has lost (`lost`).
 */
export const queueInvitationsSql = (settlesAfter: string) => `
  meetings AS (
    SELECT DISTINCT events.id FROM changed JOIN events ON events.id = resource_id
    WHERE type = 'event' AND action NOT IN ('answered', 'checked_in') AND events.invites
      AND (upper(events.during) > now() OR (previous ->> 'to')::timestamptz > now())
  ), invited AS (
    INSERT INTO invitations (event_id, user_id, email)
    SELECT event_id, user_id, email FROM event_attendees AS attending
    WHERE event_id IN (SELECT id FROM meetings) AND NOT EXISTS (
      -- Leaves out guests with the address of a user who attends too.
      SELECT FROM event_attendees AS others JOIN users ON users.id = others.user_id
      WHERE others.event_id = attending.event_id AND lower(users.email) = lower(attending.email))
    ON CONFLICT DO NOTHING RETURNING id, event_id, user_id, email
  ), told AS (
    SELECT id, event_id, user_id, email FROM invited
    -- Leaves out people who are no longer invited and never got an invitation.
    UNION SELECT id, event_id, user_id, email FROM invitations
    WHERE event_id IN (SELECT id FROM meetings) AND (told IS NOT NULL
      OR EXISTS (SELECT FROM event_attendees AS users WHERE users.event_id = invitations.event_id AND users.user_id = invitations.user_id)
      OR EXISTS (SELECT FROM event_attendees AS guests
        WHERE guests.event_id = invitations.event_id AND lower(guests.email) = lower(invitations.email))
      OR EXISTS (SELECT FROM mails WHERE invitation_id = invitations.id AND next_at IS NOT NULL))
  ), leads AS (
    SELECT told.*, CASE WHEN series_id IS NULL THEN told.id ELSE least(
      min(told.id) OVER (PARTITION BY series_id, ${addressSql('told', 'users')}), (
        SELECT min(others.id) FROM events AS also JOIN invitations AS others ON others.event_id = also.id
        LEFT JOIN users AS people ON people.id = others.user_id
        WHERE also.series_id = events.series_id AND ${addressSql('others', 'people')} = ${addressSql('told', 'users')}
      )) END AS lead
    FROM told JOIN events ON events.id = told.event_id LEFT JOIN users ON users.id = told.user_id
  ), invitation_mails AS (
    INSERT INTO mails (kind, invitation_id, next_at, lost_rooms, change_attempt, actor_type, actor_id)
    SELECT 'meeting', lead, now() + ${settlesAfter}, jsonb_path_query_array(jsonb_agg(rooms) FILTER (WHERE rooms IS NOT NULL), '$[*][*]'),
      (array_agg(attempt ORDER BY attempt IS NULL))[1], (array_agg(actor_type ORDER BY actor_type IS NULL))[1],
      (array_agg(actor_id ORDER BY actor_id IS NULL))[1]
    FROM leads AS told
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(DISTINCT jsonb_build_object('event', resource_id, 'bookable', bookable_id)) AS rooms,
        (array_agg(attempt ORDER BY at DESC))[1] AS attempt, (array_agg(actor_type ORDER BY at DESC))[1] AS actor_type,
        (array_agg(actor_id ORDER BY at DESC))[1] AS actor_id
      FROM lost WHERE resource_id = told.event_id AND lost.user_id = told.user_id
    ) AS lost_rooms ON true
    GROUP BY lead ORDER BY lead
    ON CONFLICT (invitation_id) WHERE kind = 'meeting' AND attempts = 0
    DO UPDATE SET next_at = least(mails.next_at, excluded.next_at),
      lost_rooms = CASE WHEN excluded.lost_rooms IS NULL THEN mails.lost_rooms
        ELSE coalesce(mails.lost_rooms, '[]') || excluded.lost_rooms END,
      change_attempt = coalesce(excluded.change_attempt, mails.change_attempt),
      actor_type = coalesce(excluded.actor_type, mails.actor_type), actor_id = coalesce(excluded.actor_id, mails.actor_id)
  )`
