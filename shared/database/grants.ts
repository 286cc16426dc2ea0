// The rights of the gateway's own database role: it may read everything except what only workers need, and
// write only the gateway's own tables. If GATEWAY_DATABASE_URL names such a role, the database itself ensures
// that the gateway never writes a domain table.
import type { Knex } from 'knex'
import pg from 'pg'

/**
 * What the gateway itself writes; see docs/architecture.md. Lists columns if only some of them are its own.
 */
const OWN_TABLES = [
  // Not the outcome, which only a worker writes.
  'INSERT (attempt, abandoned_at) ON receipts',
  'INSERT (id, name, ability, token_id, admin_id, actor_name, import_file_id, plan_id, envelope) ON jobs',
  // To keep the 202 of an accepted job as the answer of its key.
  'INSERT (scope, key, fingerprint, outcome), UPDATE (fingerprint, outcome, created_at) ON idempotency_keys',
  'INSERT, UPDATE, DELETE ON files',
  'INSERT, DELETE ON file_chunks',
  'INSERT, UPDATE, DELETE ON sessions',
  'INSERT, UPDATE, DELETE ON person_sessions',
  'INSERT ON person_languages',
  'DELETE ON sign_in_links',
  'INSERT, DELETE ON setup_links',
  // The gateway deletes a link when it is used.
  'DELETE ON admin_links',
  'INSERT (email, password_hash), UPDATE (password_hash, updated_at) ON admins',
  'UPDATE (last_used_at, requests) ON tokens',
  'UPDATE (last_seen_at) ON screens',
  // Not the decision, which only a worker writes.
  'INSERT (device_code_hash, user_code_hash, client_id, device_name, abilities, expires_at) ON device_authorizations',
]

/** Columns that the gateway never reads. It may read every other column of their tables. */
const HIDDEN_COLUMNS: Record<string, string[]> = {
  // The `hooks` process signs with them; the worker that creates them returns them in its reply.
  webhooks: ['secret', 'previous_secret'],
}

export function grantsSql(role: string): string {
  const name = pg.escapeIdentifier(role)
  return [
    `GRANT USAGE ON SCHEMA public TO ${name};`,
    // Rights that an earlier release granted, and this one does not.
    `REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM ${name};`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name};`,
    ...Object.entries(HIDDEN_COLUMNS).map(([table, hidden]) => hideColumns(table, hidden, name)),
    `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO ${name};`,
    ...OWN_TABLES.map((right) => `GRANT ${right} TO ${name};`),
  ].join('\n')
}

// The right to read a table covers all of its columns, so it is revoked, and the other columns are granted
// one by one, whatever they are.
function hideColumns(table: string, hidden: string[], role: string): string {
  const columns = hidden.map(pg.escapeLiteral).join(', ')
  return `REVOKE SELECT ON ${table} FROM ${role};
DO $do$ BEGIN EXECUTE (
  SELECT 'GRANT SELECT (' || string_agg(quote_ident(attname), ', ') || ${pg.escapeLiteral(`) ON ${table} TO ${role}`)}
  FROM pg_attribute
  WHERE attrelid = ${pg.escapeLiteral(table)}::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN (${columns})
); END $do$;`
}

export function hiddenColumns(): Array<{ table: string; column: string }> {
  return Object.entries(HIDDEN_COLUMNS).flatMap(([table, columns]) =>
    columns.map((column) => ({ table, column })),
  )
}

/** What the role must be able to write: INSERT and UPDATE apply to some columns at least. */
export function gatewayRights(): Array<{ table: string; verb: string }> {
  return OWN_TABLES.flatMap((right) => {
    const table = / ON (\w+)$/.exec(right)?.[1] ?? ''
    return [...right.matchAll(/\b(INSERT|UPDATE|DELETE)\b/g)].map(([verb]) => ({ table, verb }))
  })
}

/** Creates the role if it is missing, and sets its password and rights. */
export async function grantGateway(database: Knex, role: string, password: string): Promise<void> {
  const known = await database('pg_roles').where({ rolname: role }).first()
  const verb = known ? 'ALTER' : 'CREATE'
  await database.transaction(async (trx) => {
    // Such statements take no parameters, and knex would treat a question mark in the password as one.
    await trx.raw("SELECT set_config('berth.role', ?, true), set_config('berth.password', ?, true)", [
      role,
      password,
    ])
    await trx.raw(`DO $$ BEGIN EXECUTE format('${verb} ROLE %I LOGIN PASSWORD %L',
      current_setting('berth.role'), current_setting('berth.password')); END $$`)
    await trx.raw(grantsSql(role))
  })
}
