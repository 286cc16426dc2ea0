// The doctor's own connections to Postgres.
import type pg from 'pg'
import { connectPool, onlyRow } from '../../shared/database/database.ts'
import { explainConnectionFault } from '../../shared/database/faults.ts'
import { formatIdentity, type Identity, readIdentity } from '../../shared/identity/identity.ts'
import { type Finding, problem, reasonOf, toFinding } from './findings.ts'

const QUERY_MS_MAX = 10_000

export async function withPool<T>(url: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
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

/** Checks a server that a setting names; if it cannot be reached, that is the finding. */
export async function checkServer(
  setting: string,
  url: string,
  check: (pool: pg.Pool) => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await withPool(url, async (pool) => {
      const name = await queryValue<string>(pool, 'SELECT current_database()')
      return [...toFinding(setting, `connects to the database ${name}`), ...(await check(pool))]
    })
  } catch (error) {
    const todo = `Start Postgres (where it does not start, its log says why: its disk may be full), or correct ${setting}.`
    const reason = explainConnectionFault(error)
    const says = reason === undefined ? reasonOf(error) : `Postgres ${reason}: ${reasonOf(error)}`
    return toFinding(setting, problem(says, todo))
  }
}

export async function queryRow<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  sql: string,
  values: unknown[] = [],
): Promise<Row> {
  return onlyRow((await pool.query<Row>(sql, values)).rows)
}

export const queryValue = async <Value>(pool: pg.Pool, sql: string, values: unknown[] = []) =>
  Object.values(await queryRow<Record<string, Value>>(pool, sql, values))[0] as Value

export const queryRows = (pool: pg.Pool) => async (sql: string) =>
  (await pool.query<Record<string, unknown>>(sql)).rows

export const identityOf = (pool: pg.Pool): Promise<Identity> => readIdentity(queryRows(pool))
export const databaseOf = async (pool: pg.Pool) => formatIdentity(await identityOf(pool))
