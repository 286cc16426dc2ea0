// The audit log grows without bound, and people look for the few entries of somebody or of one kind, the newest first:
// each index ends with the order in which entries are shown, so that a page costs the same however many there are.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    DROP INDEX audit_log__time, audit_log__actor_lookup;
    CREATE INDEX audit_log__time ON audit_log (at, id);
    CREATE INDEX audit_log__action_lookup ON audit_log (action, at, id);
    CREATE INDEX audit_log__actor_lookup ON audit_log (actor_type, actor_name, action, at, id);
  `)

export const down = (database: Knex) =>
  database.raw(`
    DROP INDEX audit_log__time, audit_log__action_lookup, audit_log__actor_lookup;
    CREATE INDEX audit_log__time ON audit_log (at);
    CREATE INDEX audit_log__actor_lookup ON audit_log (actor_type, actor_id);
  `)
