// Whether the gateway's own role may do what it must, and no more.
import type pg from 'pg'
import { gatewayRights } from '../../shared/grants.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

const TODO = 'npm run --silent grants -- --role NAME | psql "$DATABASE_URL"'

export async function checkGatewayRole(pool: pg.Pool): Promise<Finding[]> {
  const missing: string[] = []
  for (const { table, verb } of gatewayRights()) {
    const isWhole = verb === 'DELETE'
    const { rows } = await pool.query<{ may: boolean }>(
      `SELECT has_${isWhole ? 'table' : 'any_column'}_privilege($1, $2) AS may`,
      [table, verb],
    )
    if (!rows[0]?.may) missing.push(`${verb} on ${table}`)
  }
  const { rows: unread } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT has_table_privilege(oid, 'SELECT')`,
  )
  missing.push(...unread.map(({ name }) => `SELECT on ${name}`))
  if (missing.length > 0) return [problem('gateway role', `may not ${missing.join(', ')}`, TODO)]
  const { rows } = await pool.query<{ may: boolean }>(
    `SELECT has_any_column_privilege('bookings', 'INSERT, UPDATE') OR has_table_privilege('bookings', 'DELETE') AS may`,
  )
  if (!rows[0]?.may) return [ok('gateway role', 'may write its own tables only')]
  return [warning('gateway role', 'may write bookings, which only workers do', TODO)]
}
