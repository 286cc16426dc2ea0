// Adds indexes for searching the audit log by actor or action, newest entries first. Each index ends with the display
// order, so that a page takes the same time however large the log becomes.
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
