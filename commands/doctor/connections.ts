// Opens the doctor's own connections to Postgres.
import type pg from 'pg'
import { connectPool, getOnlyRow } from '../../shared/database/database.ts'
import { explainConnectionFault } from '../../shared/database/faults.ts'
import { formatIdentity, type Identity, readIdentity } from '../../shared/identity/identity.ts'
import { createProblem, type Finding, getErrorReason, toFindings } from './findings.ts'

const QUERY_MS_MAX = 10_000

export async function withDatabasePool<T>(url: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = connectPool(url, {
    applicationName: 'berth-doctor',
    connectionsMax: 2,
    queryTimeoutMs: QUERY_MS_MAX,
  })
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}

/** Checks a server that a setting names. A server that cannot be reached is a finding. */
export async function checkServer(
  setting: string,
  url: string,
  check: (pool: pg.Pool) => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await withDatabasePool(url, async (pool) => {
      const name = await queryValue<string>(pool, 'SELECT current_database()')
      return [...toFindings(setting, `connects to the database ${name}`), ...(await check(pool))]
    })
  } catch (error) {
    const todo = `Start Postgres (if it does not start, see its log: its disk may be full), or correct ${setting}.`
    const reason = explainConnectionFault(error)
    const says = reason === undefined ? getErrorReason(error) : `Postgres ${reason}: ${getErrorReason(error)}`
    return toFindings(setting, createProblem(says, todo))
  }
}

export async function queryRow<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  sql: string,
  values: unknown[] = [],
): Promise<Row> {
  return getOnlyRow((await pool.query<Row>(sql, values)).rows)
}

export const queryValue = async <Value>(pool: pg.Pool, sql: string, values: unknown[] = []) =>
  Object.values(await queryRow<Record<string, Value>>(pool, sql, values))[0] as Value

export const queryRows = (pool: pg.Pool) => async (sql: string) =>
  (await pool.query<Record<string, unknown>>(sql)).rows

export const readPoolIdentity = (pool: pg.Pool): Promise<Identity> => readIdentity(queryRows(pool))
export const readFormattedIdentity = async (pool: pg.Pool) => formatIdentity(await readPoolIdentity(pool))
