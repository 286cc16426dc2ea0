// SQL for whether each person affected by a write has been notified, by mail or by a push to their browser, and if not, why.

/** SQL that joins mails to the people affected by the same audit log entry. */
export const joinMailsSql = (entry: string) => `LEFT JOIN LATERAL (
    SELECT mails.id, sent_at, error, next_at FROM mails
    JOIN audit_log ON audit_log.id = ${entry} AND audit_log.attempt = mails.change_attempt
    WHERE mails.user_id = affected.user_id ORDER BY sent_at NULLS LAST LIMIT 1
  ) AS mail ON true
  LEFT JOIN LATERAL (
    SELECT muted_mails, 'changed' = ANY (pushed_kinds) AND EXISTS (
      SELECT FROM push_subscriptions WHERE push_subscriptions.user_id = affected.user_id) AS gets_pushes
    FROM person_settings WHERE person_settings.user_id = affected.user_id
  ) AS settings ON true
  LEFT JOIN LATERAL (
    SELECT bool_or(pushes.next_at IS NULL) AS is_sent FROM pushes
    JOIN audit_log ON audit_log.id = ${entry} AND audit_log.attempt = pushes.change_attempt
    WHERE pushes.user_id = affected.user_id
  ) AS push ON true`

/** SQL condition: the person has chosen pushes, beside or instead of mails, and a push has said what the write did. */
export const IS_PUSHED_SQL = 'coalesce(settings.gets_pushes AND push.is_sent, false)'

export const IS_MAIL_FAILED_SQL = 'coalesce(mail.error IS NOT NULL AND mail.next_at IS NULL, false)'

/** SQL condition: the person wants neither mails nor pushes about changes. */
export const IS_MUTED_SQL =
  "coalesce('changed' = ANY (settings.muted_mails) AND NOT settings.gets_pushes, false)"

/** SQL condition: the mail about the write has yet to be sent. Workers look for changes every few seconds,
 * and then wait for a moment in case somebody undoes the changes. */
export const isMailPendingSql = (entry: string) => `(mail.next_at IS NOT NULL
  OR (mail.id IS NULL AND EXISTS (SELECT FROM mail_position WHERE sender_at > now() - interval '1 minute')
    AND EXISTS (SELECT FROM audit_log WHERE id = ${entry} AND at > now() - interval '1 minute')))`
