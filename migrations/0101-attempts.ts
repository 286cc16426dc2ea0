// Stores the attempt that made an audit log entry or a change, or whose changes a mail is about. A request id cannot
// identify it: callers choose request ids, and many writes may share one, while the gateway generates the ids of
// attempts. The column is null in rows of earlier releases.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE audit_log ADD COLUMN attempt uuid;
    ALTER TABLE changes ADD COLUMN attempt uuid;
    ALTER TABLE mails ADD COLUMN change_attempt uuid;
  `

export const down = sql`
    ALTER TABLE mails DROP COLUMN change_attempt;
    ALTER TABLE changes DROP COLUMN attempt;
    ALTER TABLE audit_log DROP COLUMN attempt;
  `
