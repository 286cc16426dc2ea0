// Checks that the gateway's own role has exactly the rights it needs.
import type pg from 'pg'
import { gatewayRights, hiddenColumns } from '../../shared/database/grants.ts'
import { queryRow } from './connections.ts'
import { type Finding, problem, toFinding, type Verdict, warning } from './findings.ts'

const TODO = 'npm run --silent grants -- --role NAME | psql "$DATABASE_URL"'

export async function checkGatewayRole(pool: pg.Pool): Promise<Finding[]> {
  return toFinding('gateway role', await checkRights(pool))
}

async function checkRights(pool: pg.Pool): Promise<Verdict> {
  const missing: string[] = []
  for (const { table, verb } of gatewayRights()) {
    const isWhole = verb === 'DELETE'
    const { may } = await queryRow<{ may: boolean }>(
      pool,
      `SELECT has_${isWhole ? 'table' : 'any_column'}_privilege($1, $2) AS may`,
      [table, verb],
    )
    if (!may) missing.push(`${verb} on ${table}`)
  }
  const columns = await readableColumns(pool)
  const unread = new Set(columns.filter(({ may, hidden }) => !may && !hidden).map(({ table }) => table))
  missing.push(...[...unread].map((table) => `SELECT on ${table}`))
  if (missing.length > 0) return problem(`may not ${missing.join(', ')}`, TODO)
  const { may: mayBook } = await queryRow<{ may: boolean }>(
    pool,
    `SELECT has_any_column_privilege('bookings', 'INSERT, UPDATE') OR has_table_privilege('bookings', 'DELETE') AS may`,
  )
  if (mayBook) return warning('may write bookings, which only workers do', TODO)
  const seen = columns
    .filter(({ may, hidden }) => may && hidden)
    .map(({ table, column }) => `${table}.${column}`)
  if (seen.length > 0) return warning(`may read ${seen.join(', ')}, which only workers do`, TODO)
  return 'may write its own tables only'
}

type Column = { table: string; column: string; may: boolean; hidden: boolean }

async function readableColumns(pool: pg.Pool): Promise<Column[]> {
  const { rows } = await pool.query<Omit<Column, 'hidden'>>(
    `SELECT relname AS table, attname AS column, has_column_privilege(pg_class.oid, attnum, 'SELECT') AS may
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
  )
  const hidden = hiddenColumns()
  const isHidden = (row: { table: string; column: string }) =>
    hidden.some(({ table, column }) => table === row.table && column === row.column)
  return rows.map((row) => ({ ...row, hidden: isHidden(row) }))
}
