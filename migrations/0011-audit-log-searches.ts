// The audit log grows without bound, and users look for few entries, by actor or action, newest first. Each
// index ends with the display order, so that a page costs the same however large the log is.
import { sql } from './steps/sql.ts'

export const up = sql`
    DROP INDEX audit_log__time, audit_log__actor_lookup;
    CREATE INDEX audit_log__time ON audit_log (at, id);
    CREATE INDEX audit_log__action_lookup ON audit_log (action, at, id);
    CREATE INDEX audit_log__actor_lookup ON audit_log (actor_type, actor_name, action, at, id);
  `

export const down = sql`
    DROP INDEX audit_log__time, audit_log__action_lookup, audit_log__actor_lookup;
    CREATE INDEX audit_log__time ON audit_log (at);
    CREATE INDEX audit_log__actor_lookup ON audit_log (actor_type, actor_id);
  `
