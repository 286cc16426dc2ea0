// SQL that finds all audit log entries of one write by one of them.

/**
 * After FROM: `asked` is the entry with this id, and `audit_log` are the entries of its attempt. Entries of earlier releases
 * name no attempt. Of these it returns what one transaction did for one actor and one request, which may be several
 * writes: such entries are shown together, but never undone together (`isOneWrite`).
 */
export const entriesOfWrite = (id: string): string => `
    (SELECT * FROM audit_log WHERE id = ${id}) AS asked CROSS JOIN LATERAL (
      SELECT * FROM audit_log WHERE attempt = asked.attempt
      UNION ALL
      SELECT * FROM audit_log WHERE asked.attempt IS NULL AND attempt IS NULL
        AND (at, request_id, actor_type, actor_name) = (asked.at, asked.request_id, asked.actor_type, asked.actor_name)
    ) AS audit_log`

/** Whether these entries certainly belong to one write. */
export const isOneWrite = (entries: ReadonlyArray<{ attempt: string | null }>): boolean =>
  entries.length === 1 || entries.every(({ attempt }) => attempt !== null)
