// Checks that a pooler between Berth and Postgres, if there is one, supports the connections that processes make.
import type pg from 'pg'
import { connectPool } from '../../shared/database/database.ts'
import { parseDatabaseAddress } from '../../shared/database/hosts.ts'
import { queryRow, queryValue } from './connections.ts'
import {
  type CheckResult,
  createProblem,
  createWarning,
  type Finding,
  getErrorReason,
  toFindings,
} from './findings.ts'

const CONNECTION_COUNT = 4
const ROUND_COUNT = 5
const STATEMENT_TIMEOUT_MS = 10_000

/**
 * Connects the way a gateway does, and runs prepared statements on several connections at once. Checks less for workers
 * with a separate database URL, because timeouts for their role would abort long imports.
 */
export async function checkPooler(url: string, whose?: 'workers'): Promise<Finding[]> {
  const suffix = whose ? ` of ${whose}` : ''
  const [statements, settings] = [`prepared statements${suffix}`, `settings of connections${suffix}`]
  const pool = connectPool(url, {
    applicationName: 'berth-doctor',
    connectionsMax: CONNECTION_COUNT,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: STATEMENT_TIMEOUT_MS,
    idleInTransactionTimeoutMs: STATEMENT_TIMEOUT_MS,
    queryTimeoutMs: 2 * STATEMENT_TIMEOUT_MS,
  })
  try {
    return [
      ...toFindings(statements, await checkStatements(pool, parseDatabaseAddress(url).preparesStatements)),
      ...toFindings(settings, await checkJitSetting(pool)),
      ...toFindings(settings, whose ? undefined : await checkTimeout(pool)),
    ]
  } catch (error) {
    return toFindings(settings, explainRefusal(getErrorReason(error)))
  } finally {
    await pool.end()
  }
}

async function checkStatements(pool: pg.Pool, areUsed: boolean): Promise<CheckResult> {
  // Connects first, so that the failures below are certainly not connection failures.
  await pool.query('SELECT 1')
  try {
    for (let round = 0; round < ROUND_COUNT; round++) {
      const queries = Array.from({ length: CONNECTION_COUNT }, (_, number) =>
        pool.query({ name: `berth_doctor_${number % 2}`, text: `SELECT ${number % 2} AS number` }),
      )
      await Promise.all(queries)
    }
    return areUsed ? 'work' : 'are not used: the address says prepared_statements=false'
  } catch (error) {
    return createProblem(
      `do not work: ${getErrorReason(error)}`,
      'PgBouncer: version 1.21 or later with max_prepared_statements above 0; or add prepared_statements=false to the address.',
    )
  }
}

// The role may have a JIT setting that a pooler ignores. A Postgres without JIT support needs no such setting.
async function checkJitSetting(pool: pg.Pool): Promise<CheckResult> {
  const { compiles, role } = await queryRow<{ compiles: boolean; role: string }>(
    pool,
    'SELECT pg_jit_available() AS compiles, quote_ident(current_user) AS role',
  )
  if (!compiles) return undefined
  return createWarning(
    'Postgres compiles statements (jit), which takes longer than they do: a pooler in between ignores jit=off',
    `ALTER ROLE ${role} SET jit = off;`,
  )
}

async function checkTimeout(pool: pg.Pool): Promise<CheckResult> {
  const ms = await queryValue<number>(
    pool,
    "SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'",
  )
  if (ms === STATEMENT_TIMEOUT_MS) return undefined
  if (ms > 0) return `a pooler in between ignores them; the role has a statement_timeout of ${ms} ms`
  return createWarning(
    'what a connection begins with is not in force: a pooler in between ignores it',
    'Set them for the gateway’s own role (GATEWAY_DATABASE_URL): docs/scaling.md, PgBouncer.',
  )
}

// Other findings report connection failures.
function explainRefusal(message: string): CheckResult {
  if (!/unsupported startup parameter/.test(message)) return undefined
  return createProblem(
    `a pooler in between refuses them: ${message}`,
    'PgBouncer: ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options',
  )
}
