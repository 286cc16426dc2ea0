// Figures of mail, offers, holds and screens, for the metrics of workers and for the doctor. Each is SQL for one number, and
// uses an index that contains only open rows.
import { CHANGES_ORDER } from '../changes/read.ts'

/** Mails that expire within minutes, mails that somebody is waiting for, and updates about bookings. */
export const MAIL_TURNS = ['expiring', 'awaited', 'news'] as const

/** SQL: the turn of a mail, as a number. As in migration 110, whose index needs the same text. */
export const MAIL_TURN = `(CASE WHEN kind IN ('sign-in', 'offer', 'reminder', 'arrival', 'invitation', 'password') THEN 0
  WHEN booking_ids IS NULL AND month IS NULL THEN 1 ELSE 2 END)`

const isOfChanges = (mails: string) => `${mails}.booking_ids IS NOT NULL AND ${mails}.deadline IS NULL`
const EARLIER = `SELECT FROM mails AS earlier WHERE earlier.user_id = mails.user_id AND earlier.id < mails.id
  AND ${isOfChanges('earlier')} AND earlier.next_at IS NOT NULL`

/**
 * SQL: mails that may leave now. A mail about changes depends on the mails before it, so a person gets such mails
 * one after the other. A reminder depends on nothing, and cannot wait.
 */
export const MAIL_IS_DUE = `next_at <= now() AND sent_at IS NULL
  AND (NOT (${isOfChanges('mails')}) OR NOT EXISTS (${EARLIER}))`

const COUNTED_MAX = 100_000

export const MAILS_DUE = `
  SELECT count(*)::int FROM (
    SELECT FROM mails WHERE next_at <= now() AND sent_at IS NULL LIMIT ${COUNTED_MAX}
  ) AS due`

/** The age in seconds of the oldest due mail with this turn. No row if none is due. */
export const oldestDueMail = (turn: number) => `
  SELECT extract(epoch FROM now() - next_at)::float8 FROM mails
  WHERE ${MAIL_TURN} = ${turn} AND ${MAIL_IS_DUE} ORDER BY next_at LIMIT 1`

/** Mails of the last day that Berth has given up on. */
export const MAILS_GIVEN_UP = `
  SELECT count(*)::int FROM mails
  WHERE next_at IS NULL AND sent_at IS NULL AND error IS NOT NULL AND created_at > now() - interval '1 day'`

/** For how many seconds the first change has waited to become mails. */
export const MAIL_CHANGES_AGE = `
  SELECT extract(epoch FROM now() - waiting.at)::float8
  FROM mail_position AS position, LATERAL (
    SELECT changes.at FROM changes
    WHERE (changes.horizon, changes.sequence) > (position.horizon, position.sequence)
      AND changes.at >= position.at - interval '24 hours'
    ORDER BY ${CHANGES_ORDER} LIMIT 1
  ) AS waiting`

// A mail about an offer leaves within seconds.
const TOLD_WITHIN = "interval '1 minute'"
const LAPSED_WITHIN = "interval '15 minutes'"

/** Open and recently lapsed offers that were not mailed, although the person wants such mails. */
export const OFFERS_UNTOLD = `
  SELECT count(*)::int FROM holds JOIN users ON users.id = holds.user_id
  LEFT JOIN person_settings ON person_settings.user_id = users.id
  WHERE holds.kind = 'offer' AND users.deactivated_at IS NULL
    AND (holds.state = 'pending' OR holds.state = 'lapsed' AND holds.decided_at > now() - ${LAPSED_WITHIN})
    AND holds.expires_at > now() - interval '1 hour' AND holds.created_at < now() - ${TOLD_WITHIN}
    AND NOT 'offer' = ANY (coalesce(muted_mails, '{}'))
    AND NOT EXISTS (SELECT FROM mails WHERE mails.hold_id = holds.id AND mails.sent_at IS NOT NULL)`

/** For how many seconds a request or an offer should have lapsed. No row if none should have. */
export const HOLDS_OVERDUE = `
  SELECT extract(epoch FROM now() - min(expires_at))::float8 FROM holds
  WHERE state = 'pending' AND expires_at <= now() HAVING count(*) > 0`

// Gateways note every five minutes which screens they serve.
const SILENT_AFTER = "interval '15 minutes'"

/**
 * Screens that were on within the last week and are silent now, during working hours of their building (Monday to Friday, 8 to 18).
 * At night many are switched off.
 */
export const SCREENS_SILENT = `
  SELECT count(*)::int FROM screens
  LEFT JOIN bookables ON bookables.id = screens.bookable_id
  LEFT JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = coalesce(locations.building_id, screens.building_id)
  CROSS JOIN LATERAL (SELECT now() AT TIME ZONE buildings.timezone AS time) AS local
  WHERE revoked_at IS NULL AND last_seen_at < now() - ${SILENT_AFTER} AND last_seen_at > now() - interval '7 days'
    AND extract(isodow FROM local.time) < 6 AND extract(hour FROM local.time) BETWEEN 8 AND 17`
