// Checks that a pooler between Berth and Postgres, if any, supports the connections that processes make.
import type pg from 'pg'
import { connectPool } from '../../shared/database/database.ts'
import { parseDatabaseAddress } from '../../shared/database/hosts.ts'
import { queryRow, queryValue } from './connections.ts'
import { type Finding, problem, reasonOf, toFinding, type Verdict, warning } from './findings.ts'

const CONNECTIONS = 4
const ROUNDS = 5
const STATEMENT_TIMEOUT_MS = 10_000

/**
 * Connects like a gateway, and runs prepared statements on several connections at once. Checks less for
 * workers with their own address: timeouts for their role would abort long imports.
 */
export async function checkPooler(url: string, whose?: 'workers'): Promise<Finding[]> {
  const suffix = whose ? ` of ${whose}` : ''
  const [statements, settings] = [`prepared statements${suffix}`, `settings of connections${suffix}`]
  const pool = connectPool(url, {
    applicationName: 'berth-doctor',
    connectionsMax: CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: STATEMENT_TIMEOUT_MS,
    idleInTransactionTimeoutMs: STATEMENT_TIMEOUT_MS,
    queryTimeoutMs: 2 * STATEMENT_TIMEOUT_MS,
  })
  try {
    return [
      ...toFinding(statements, await checkStatements(pool, parseDatabaseAddress(url).preparesStatements)),
      ...toFinding(settings, await checkCompiling(pool)),
      ...toFinding(settings, whose ? undefined : await checkTimeout(pool)),
    ]
  } catch (error) {
    return toFinding(settings, judgeRefusal(reasonOf(error)))
  } finally {
    await pool.end()
  }
}

async function checkStatements(pool: pg.Pool, haveNames: boolean): Promise<Verdict> {
  // Connects first, so that failures below are not connection failures.
  await pool.query('SELECT 1')
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const queries = Array.from({ length: CONNECTIONS }, (_, number) =>
        pool.query({ name: `berth_doctor_${number % 2}`, text: `SELECT ${number % 2} AS number` }),
      )
      await Promise.all(queries)
    }
    return haveNames ? 'work' : 'are not used: the address says prepared_statements=false'
  } catch (error) {
    return problem(
      `do not work: ${reasonOf(error)}`,
      'PgBouncer: version 1.21 or later with max_prepared_statements above 0; or add prepared_statements=false to the address.',
    )
  }
}

// The role can have a setting that a pooler ignores. Without support for JIT, nothing is missing.
async function checkCompiling(pool: pg.Pool): Promise<Verdict> {
  const { compiles, role } = await queryRow<{ compiles: boolean; role: string }>(
    pool,
    'SELECT pg_jit_available() AS compiles, quote_ident(current_user) AS role',
  )
  if (!compiles) return undefined
  return warning(
    'Postgres compiles statements (jit), which takes longer than they do: a pooler in between ignores jit=off',
    `ALTER ROLE ${role} SET jit = off;`,
  )
}

async function checkTimeout(pool: pg.Pool): Promise<Verdict> {
  const ms = await queryValue<number>(
    pool,
    "SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'",
  )
  if (ms === STATEMENT_TIMEOUT_MS) return undefined
  if (ms > 0) return `a pooler in between ignores them; the role has a statement_timeout of ${ms} ms`
  return warning(
    'what a connection begins with is not in force: a pooler in between ignores it',
    'Set them for the gateway’s own role (GATEWAY_DATABASE_URL): docs/scaling.md, PgBouncer.',
  )
}

// Connection failures are reported by other findings.
function judgeRefusal(message: string): Verdict {
  if (!/unsupported startup parameter/.test(message)) return undefined
  return problem(
    `a pooler in between refuses them: ${message}`,
    'PgBouncer: ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options',
  )
}
