// SQL that finds all audit log entries of a write, given one of these entries.

/**
 * SQL that follows FROM: `asked` is the entry with this id, and `audit_log` contains the entries of the same attempt.
 * Entries of earlier releases have no attempt. For these, the SQL returns what one transaction did for one actor and
 * one request, which may be several writes: pages show such entries together, but Berth never undoes them together
 * (`belongToOneWrite`).
 */
export const entriesOfWriteSql = (id: string): string => `
    (SELECT * FROM audit_log WHERE id = ${id}) AS asked CROSS JOIN LATERAL (
      SELECT * FROM audit_log WHERE attempt = asked.attempt
      UNION ALL
      SELECT * FROM audit_log WHERE asked.attempt IS NULL AND attempt IS NULL
        AND (at, request_id, actor_type, actor_name) = (asked.at, asked.request_id, asked.actor_type, asked.actor_name)
    ) AS audit_log`

/** Whether these entries certainly belong to a single write. */
export const belongToOneWrite = (entries: ReadonlyArray<{ attempt: string | null }>): boolean =>
  entries.length === 1 || entries.every(({ attempt }) => attempt !== null)
