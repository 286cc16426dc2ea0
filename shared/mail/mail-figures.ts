// Figures about mails, offers, holds and screens, for the metrics of workers and for the doctor command. Each figure is
// SQL for one number, and its index contains only the rows that matter.
import { OUTBOX_ORDER } from '../changes/read.ts'

/**
 * The order in which mails are sent: first mails that expire within minutes, then mails that somebody is waiting for,
 * then updates about bookings.
 */
export const MAIL_TURNS = ['expiring', 'awaited', 'news'] as const

/** SQL for the position of a mail in the sending order, as a number. Must equal the expression in the index
 * of migration 110. */
export const MAIL_TURN_SQL = `(CASE WHEN kind IN ('sign-in', 'offer', 'reminder', 'arrival', 'invitation', 'password') THEN 0
  WHEN booking_ids IS NULL AND month IS NULL THEN 1 ELSE 2 END)`

const isAboutChangesSql = (mails: string) => `${mails}.booking_ids IS NOT NULL AND ${mails}.deadline IS NULL`
const EARLIER_MAIL_SQL = `SELECT FROM mails AS earlier WHERE earlier.user_id = mails.user_id AND earlier.id < mails.id
  AND ${isAboutChangesSql('earlier')} AND earlier.next_at IS NOT NULL`

const EARLIER_INVITATION_MAIL_SQL = `SELECT FROM mails AS earlier WHERE earlier.invitation_id = mails.invitation_id
  AND earlier.id < mails.id AND earlier.next_at IS NOT NULL`

const EARLIER_ANSWER_MAIL_SQL = `SELECT FROM mails AS earlier WHERE earlier.user_id = mails.user_id
  AND earlier.event_id = mails.event_id AND earlier.id < mails.id AND earlier.next_at IS NOT NULL`

/** SQL condition that the mail may be sent now. A mail about changes depends on earlier ones to the same
 * person, so such mails are sent one after the other. The same applies to the mails of one invitation, and to
 * the mails to an organizer about the answers to one meeting. A reminder depends on no other mail and must
 * not wait. */
export const IS_MAIL_DUE_SQL = `next_at <= now() AND sent_at IS NULL
  AND (NOT (${isAboutChangesSql('mails')}) OR NOT EXISTS (${EARLIER_MAIL_SQL}))
  AND (invitation_id IS NULL OR NOT EXISTS (${EARLIER_INVITATION_MAIL_SQL}))
  AND (event_id IS NULL OR NOT EXISTS (${EARLIER_ANSWER_MAIL_SQL}))`

const COUNTED_MAILS_MAX = 100_000

export const MAILS_DUE_SQL = `
  SELECT count(*)::int FROM (
    SELECT FROM mails WHERE next_at <= now() AND sent_at IS NULL LIMIT ${COUNTED_MAILS_MAX}
  ) AS due`

/** SQL for the age in seconds of the oldest due mail in this class of MAIL_TURNS. Returns no row if no mail is due. */
export const oldestDueMailAgeSql = (turn: number) => `
  SELECT extract(epoch FROM now() - next_at)::float8 FROM mails
  WHERE ${MAIL_TURN_SQL} = ${turn} AND ${IS_MAIL_DUE_SQL} ORDER BY next_at LIMIT 1`

/** SQL for the number of mails from the last 24 hours that Berth has given up on. */
export const MAILS_GIVEN_UP_SQL = `
  SELECT count(*)::int FROM mails
  WHERE next_at IS NULL AND sent_at IS NULL AND error IS NOT NULL AND created_at > now() - interval '1 day'`

/** SQL for the number of seconds that the oldest change that is not yet turned into mails has been waiting. */
export const MAIL_CHANGES_AGE_SQL = `
  SELECT extract(epoch FROM now() - waiting.at)::float8
  FROM mail_position AS position, LATERAL (
    SELECT changes.at FROM changes
    WHERE (changes.horizon, changes.sequence) > (position.horizon, position.sequence)
      AND changes.at >= position.at - interval '24 hours'
    ORDER BY ${OUTBOX_ORDER} LIMIT 1
  ) AS waiting`

/** SQL for the number of seconds that the oldest due notification to a browser has been due. */
export const OLDEST_DUE_PUSH_SQL = `
  SELECT extract(epoch FROM now() - min(next_at))::float8 FROM push_deliveries
  WHERE next_at <= now() AND expires_at > now()`

// The time after which a missing mail about an offer counts as a fault. Such mails are normally sent within seconds.
const MAILED_WITHIN = "interval '1 minute'"
const LAPSED_WITHIN = "interval '15 minutes'"

/** SQL for the number of open and recently lapsed offers that were not mailed, although the person wants such mails. */
export const OFFERS_NOT_MAILED_SQL = `
  SELECT count(*)::int FROM holds JOIN users ON users.id = holds.user_id
  LEFT JOIN person_settings ON person_settings.user_id = users.id
  WHERE holds.kind = 'offer' AND users.deactivated_at IS NULL
    AND (holds.state = 'pending' OR holds.state = 'lapsed' AND holds.decided_at > now() - ${LAPSED_WITHIN})
    AND holds.expires_at > now() - interval '1 hour' AND holds.created_at < now() - ${MAILED_WITHIN}
    AND NOT 'offer' = ANY (coalesce(muted_mails, '{}'))
    AND NOT EXISTS (SELECT FROM mails WHERE mails.hold_id = holds.id AND mails.sent_at IS NOT NULL)`

/** SQL for the number of seconds by which the oldest request or offer that should have lapsed is overdue.
 * Returns no row if none is overdue. */
export const HOLDS_OVERDUE_SQL = `
  SELECT extract(epoch FROM now() - min(expires_at))::float8 FROM holds
  WHERE state = 'pending' AND expires_at <= now() HAVING count(*) > 0`

// The time after which a screen counts as silent. Gateways record every five minutes which screens they serve.
const SILENT_AFTER = "interval '15 minutes'"

/** SQL for the number of screens that were on at some time in the last week but are silent now. Only counted
 * during the building's working hours (Monday to Friday, 8 to 18), because many screens are switched off at
 * night. */
export const SCREENS_SILENT_SQL = `
  SELECT count(*)::int FROM screens
  LEFT JOIN bookables ON bookables.id = screens.bookable_id
  LEFT JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = coalesce(locations.building_id, screens.building_id)
  CROSS JOIN LATERAL (SELECT now() AT TIME ZONE buildings.timezone AS time) AS local
  WHERE revoked_at IS NULL AND last_seen_at < now() - ${SILENT_AFTER} AND last_seen_at > now() - interval '7 days'
    AND extract(isodow FROM local.time) < 6 AND extract(hour FROM local.time) BETWEEN 8 AND 17`
