// SQL: whether mail has told each of the people whom one write affects, and if not, why.

/** To join to affectedPeople of the same entry. */
export const joinMails = (entry: string) => `LEFT JOIN LATERAL (
    SELECT mails.id, sent_at, error, next_at FROM mails
    JOIN audit_log ON audit_log.id = ${entry} AND audit_log.attempt = mails.change_attempt
    WHERE mails.user_id = affected.user_id ORDER BY sent_at NULLS LAST LIMIT 1
  ) AS mail ON true
  LEFT JOIN LATERAL (
    SELECT muted_mails FROM person_settings WHERE person_settings.user_id = affected.user_id
  ) AS settings ON true`

export const IS_FAILED = 'coalesce(mail.error IS NOT NULL AND mail.next_at IS NULL, false)'

export const IS_MUTED = "coalesce('changed' = ANY (settings.muted_mails), false)"

/** A worker that sends mail looks for changes every few seconds, and waits in case they are undone. */
export const isOnItsWay = (entry: string) => `(mail.next_at IS NOT NULL
  OR (mail.id IS NULL AND EXISTS (SELECT FROM mail_position WHERE sender_at > now() - interval '1 minute')
    AND EXISTS (SELECT FROM audit_log WHERE id = ${entry} AND at > now() - interval '1 minute')))`
