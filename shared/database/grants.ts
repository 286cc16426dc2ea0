// The rights of the gateway's own database role. It may read everything except what only workers need, and write only
// the gateway's own tables. If GATEWAY_DATABASE_URL names this role, the database itself ensures that the gateway never
// writes a domain table.
import type { Knex } from 'knex'
import pg from 'pg'

/**
 * The tables that the gateway writes itself (see docs/architecture.md). If the gateway writes only some columns of a
 * table, they are listed.
 */
const GATEWAY_TABLES = [
  // Excludes the column `outcome`, which only a worker writes.
  'INSERT (attempt, abandoned_at) ON receipts',
  'INSERT (id, name, ability, token_id, admin_id, actor_name, import_file_id, plan_id, envelope) ON jobs',
  // The gateway stores the 202 of an accepted job as the response for its idempotency key.
  'INSERT (scope, key, fingerprint, outcome), UPDATE (fingerprint, outcome, created_at) ON idempotency_keys',
  'INSERT, UPDATE, DELETE ON files',
  'INSERT, DELETE ON file_chunks',
  'INSERT, UPDATE, DELETE ON sessions',
  'INSERT, UPDATE, DELETE ON person_sessions',
  'INSERT ON person_languages',
  'DELETE ON sign_in_links',
  'INSERT, DELETE ON setup_links',
  // The gateway deletes an administrator's link when it is used.
  'DELETE ON admin_links',
  'INSERT (email, password_hash), UPDATE (password_hash, updated_at) ON admins',
  'UPDATE (last_used_at, requests) ON tokens',
  'UPDATE (last_seen_at) ON screens',
  // Excludes the column `decision`, which only a worker writes.
  'INSERT (device_code_hash, user_code_hash, client_id, device_name, abilities, expires_at) ON device_authorizations',
]

/** The columns that the gateway must not read. It may read all other columns of these tables. */
const HIDDEN_COLUMNS: Record<string, string[]> = {
  // The `hooks` process signs deliveries with these secrets. The worker that creates a secret returns it in its reply.
  webhooks: ['secret', 'previous_secret'],
}

export function grantsSql(role: string): string {
  const name = pg.escapeIdentifier(role)
  return [
    `GRANT USAGE ON SCHEMA public TO ${name};`,
    // Revokes rights that an earlier release granted and this one does not.
    `REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM ${name};`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name};`,
    ...Object.entries(HIDDEN_COLUMNS).map(([table, hidden]) => hideColumns(table, hidden, name)),
    `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO ${name};`,
    ...GATEWAY_TABLES.map((right) => `GRANT ${right} TO ${name};`),
  ].join('\n')
}

// The right to read a table covers all of its columns. So this function revokes that right, and grants the right to
// read each of the other columns.
function hideColumns(table: string, hidden: string[], role: string): string {
  const columns = hidden.map(pg.escapeLiteral).join(', ')
  return `REVOKE SELECT ON ${table} FROM ${role};
DO $do$ BEGIN EXECUTE (
  SELECT 'GRANT SELECT (' || string_agg(quote_ident(attname), ', ') || ${pg.escapeLiteral(`) ON ${table} TO ${role}`)}
  FROM pg_attribute
  WHERE attrelid = ${pg.escapeLiteral(table)}::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN (${columns})
); END $do$;`
}

export function listHiddenColumns(): Array<{ table: string; column: string }> {
  return Object.entries(HIDDEN_COLUMNS).flatMap(([table, columns]) =>
    columns.map((column) => ({ table, column })),
  )
}

/** Lists the write privileges that the role needs. INSERT and UPDATE may be limited to some columns. */
export function listGatewayRights(): Array<{ table: string; verb: string }> {
  return GATEWAY_TABLES.flatMap((right) => {
    const table = / ON (\w+)$/.exec(right)?.[1] ?? ''
    return [...right.matchAll(/\b(INSERT|UPDATE|DELETE)\b/g)].map(([verb]) => ({ table, verb }))
  })
}

/** Creates the gateway's database role if it is missing, and sets its password and rights. */
export async function grantGateway(database: Knex, role: string, password: string): Promise<void> {
  const known = await database('pg_roles').where({ rolname: role }).first()
  const verb = known ? 'ALTER' : 'CREATE'
  await database.transaction(async (trx) => {
    // GRANT and ALTER ROLE take no parameters, and knex would treat a question mark in the password as one. So the
    // statements read these settings.
    await trx.raw("SELECT set_config('berth.role', ?, true), set_config('berth.password', ?, true)", [
      role,
      password,
    ])
    await trx.raw(`DO $$ BEGIN EXECUTE format('${verb} ROLE %I LOGIN PASSWORD %L',
      current_setting('berth.role'), current_setting('berth.password')); END $$`)
    await trx.raw(grantsSql(role))
  })
}
