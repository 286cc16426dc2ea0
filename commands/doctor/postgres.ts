// Checks Postgres: every address, the version, the migrations, free connections, the disk and the clock.
import { statfsSync } from 'node:fs'
import type pg from 'pg'
import { connectDatabase } from '../../shared/database/database.ts'
import { isDiskFull } from '../../shared/database/faults.ts'
import { listGatewayRights, listHiddenColumns } from '../../shared/database/grants.ts'
import { readMigrationStatus } from '../../shared/database/migrations.ts'
import type { Config } from '../../shared/settings/config.ts'
import { CLOCK_SQL } from '../../shared/utilities/clock.ts'
import { checkCalendars } from './calendars.ts'
import { checkServer, queryRow, queryValue } from './connections.ts'
import {
  type CheckResult,
  checkClockDifference,
  checkFacts,
  createProblem,
  createWarning,
  type FactChecks,
  type Finding,
  formatSize,
  measureClockAheadMs,
  runChecks,
  toFindings,
} from './findings.ts'
import { checkMailQueue } from './mail.ts'
import { checkPooler } from './pooler.ts'
import { checkPushes } from './pushes.ts'
import { countConnections, type ProcessCounts } from './settings.ts'
import { checkWebhooks } from './webhooks.ts'

const POSTGRES_VERSION_MIN = 15
const FREE_BYTES_MIN = 2 * 1024 ** 3

const EXTENSIONS = ['btree_gist', 'pg_trgm']
const EXTENSIONS_SQL = `SELECT unnest('{${EXTENSIONS}}'::text[])`

export const POSTGRES_FACTS_SQL = `
  SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isStandby",
    current_setting('log_error_verbosity') AS verbosity,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS allowed,
    (SELECT count(*) FROM pg_stat_activity
      WHERE backend_type = 'client backend'
        AND NOT (datname = current_database() AND application_name LIKE 'berth-%'))::int AS others,
    (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()) AS "databaseLimit",
    (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user AND NOT rolsuper) AS "roleLimit",
    ARRAY(${EXTENSIONS_SQL} EXCEPT SELECT extname::text FROM pg_extension) AS "missingExtensions",
    ARRAY(${EXTENSIONS_SQL} EXCEPT SELECT name::text FROM pg_available_extensions) AS "missingExtensionFiles",
    pg_database_size(current_database()) AS bytes`

export type PostgresFacts = {
  version: string
  isStandby: boolean
  verbosity: string
  allowed: number
  others: number
  /** The connection limits of the database and the role; null means unlimited. */
  databaseLimit: number | null
  roleLimit: number | null
  missingExtensions: string[]
  missingExtensionFiles: string[]
  bytes: number
}

export async function checkPostgres(config: Config, counts: ProcessCounts): Promise<Finding[]> {
  const { databaseUrl, gatewayDatabaseUrl } = config
  const main = await checkServer('DATABASE_URL', databaseUrl, async (pool) => {
    const found = await queryRow<PostgresFacts>(pool, POSTGRES_FACTS_SQL)
    // If the gateway has its own role, the connection limit of this role does not cover all processes.
    const facts = gatewayDatabaseUrl ? { ...found, roleLimit: null } : found
    const examined = await runChecks({
      migrations: () => checkMigrations(databaseUrl),
      'clock of Postgres': () => checkClock(pool),
      'disk of Postgres': () => checkDisk(pool, facts),
    })
    return [
      ...checkPostgresFacts(facts, countConnections(config, counts)),
      ...examined,
      ...(await checkWebhooks(pool)),
      ...(await checkMailQueue(pool, config)),
      ...(await checkPushes(pool, config)),
      ...(await checkCalendars(pool, config)),
    ]
  })
  const gateway = gatewayDatabaseUrl
    ? await checkServer('GATEWAY_DATABASE_URL', gatewayDatabaseUrl, async (pool) =>
        toFindings('gateway role', await checkRights(pool)),
      )
    : []
  const pooler = await checkPooler(gatewayDatabaseUrl ?? databaseUrl)
  const workersPooler = gatewayDatabaseUrl ? await checkPooler(databaseUrl, 'workers') : []
  return [...main, ...gateway, ...pooler, ...workersPooler]
}

const POSTGRES_CHECKS: FactChecks<PostgresFacts & { wanted: number }> = {
  Postgres: ({ version }) =>
    Number.parseInt(version, 10) >= POSTGRES_VERSION_MIN
      ? version
      : createProblem(`${version} is too old`, `Install PostgreSQL ${POSTGRES_VERSION_MIN} or later.`),
  extensions({ missingExtensions: [missing], missingExtensionFiles: [missingFiles] }) {
    if (missing === undefined) return EXTENSIONS.join(', ')
    return missingFiles === undefined
      ? createProblem(
          `${missing} is not created`,
          `npm run migrate, or CREATE EXTENSION ${missing} as a superuser.`,
        )
      : createProblem(`${missingFiles} is not installed`, 'Install the contrib package of PostgreSQL.')
  },
  connections: checkConnections,
  'log of Postgres': ({ verbosity }) =>
    verbosity === 'terse'
      ? 'quotes no rows'
      : createWarning(
          `log_error_verbosity is ${verbosity}: it quotes rows that violate a constraint, including names and e-mails`,
          'ALTER SYSTEM SET log_error_verbosity = terse; SELECT pg_reload_conf().',
        ),
  'role of Postgres': ({ isStandby }) =>
    isStandby
      ? createProblem('it is a standby, which does not accept writes', 'Name its primary in DATABASE_URL.')
      : undefined,
}

export const checkPostgresFacts = (facts: PostgresFacts, wanted: number) =>
  checkFacts(POSTGRES_CHECKS, { ...facts, wanted })

export function checkConnections({
  allowed,
  others,
  databaseLimit,
  roleLimit,
  wanted,
}: PostgresFacts & { wanted: number }): CheckResult {
  // Managed databases limit the connections of a role or a database, and share max_connections with others.
  const limit = Math.min(databaseLimit ?? allowed, roleLimit ?? allowed)
  const free = Math.min(allowed - others, limit)
  const room =
    limit < allowed
      ? `this role and database may have ${free}`
      : `${free} of ${allowed} are not taken by others`
  const says = `all processes may take ${wanted}; ${room}`
  const todo = 'Raise max_connections, lower DATABASE_CONNECTIONS_MAX, or put a PgBouncer in between.'
  return wanted <= free ? says : createWarning(says, todo)
}

async function checkMigrations(url: string): Promise<CheckResult> {
  const database = connectDatabase(url, { applicationName: 'berth-doctor', connectionsMax: 1 })
  try {
    const { applied, pending } = await readMigrationStatus(database)
    return pending.length === 0
      ? `all ${applied.length} are applied`
      : createProblem(`${pending.length} are pending: ${pending.join(', ')}`, 'npm run migrate')
  } finally {
    await database.destroy()
  }
}

async function checkClock(pool: pg.Pool): Promise<CheckResult> {
  const aheadMs = await measureClockAheadMs(() => queryValue<number>(pool, CLOCK_SQL))
  return checkClockDifference(aheadMs, (says, todo) => createProblem(`${says}: deadlines follow it`, todo))
}

// Postgres does not report the free disk space, so this check writes some data and rolls back. If Postgres runs on this
// machine, the check also asks the file system.
async function checkDisk(pool: pg.Pool, { bytes }: PostgresFacts): Promise<CheckResult> {
  const size = `the database has ${formatSize(bytes)}`
  if (await isPostgresDiskFull(pool))
    return createProblem(
      `${size}, and the disk is full: every write is refused`,
      'Free some space, or use a larger disk. Often it is WAL that is not archived (pg_stat_archiver) or old logs.',
    )
  const free = await readFreeBytes(pool).catch(() => undefined)
  if (free === undefined) return `${size}; how much is free is not to be seen from here`
  const says = `${size}, ${formatSize(free)} are free`
  return free >= Math.max(FREE_BYTES_MIN, bytes / 10)
    ? says
    : createWarning(says, 'Free some space: Postgres stops when its disk is full.')
}

// A statement that writes a megabyte to a temporary table.
const WRITE_SQL = `
  CREATE TEMPORARY TABLE berth_doctor ON COMMIT DROP AS
  SELECT repeat(md5(n::text), 30) AS filler FROM generate_series(1, 1024) AS n`

async function isPostgresDiskFull(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(WRITE_SQL)
    return false
  } catch (error) {
    // Ignores other errors: another finding reports a read-only role or a standby.
    return isDiskFull(error)
  } finally {
    await client.query('ROLLBACK').catch(() => undefined)
    client.release()
  }
}

async function readFreeBytes(pool: pg.Pool): Promise<number> {
  const { bavail, bsize } = statfsSync(
    await queryValue<string>(pool, "SELECT current_setting('data_directory')"),
  )
  return bavail * bsize
}

const GRANTS_COMMAND = 'npm run --silent grants -- --role NAME | psql "$DATABASE_URL"'

export async function checkRights(pool: pg.Pool): Promise<CheckResult> {
  const missing: string[] = []
  for (const { table, verb } of listGatewayRights()) {
    const of = verb === 'DELETE' ? 'table' : 'any_column'
    if (!(await queryValue<boolean>(pool, `SELECT has_${of}_privilege($1, $2)`, [table, verb])))
      missing.push(`${verb} on ${table}`)
  }
  const columns = await findColumnRights(pool)
  const unread = new Set(columns.filter(({ may, hidden }) => !may && !hidden).map(({ table }) => table))
  missing.push(...[...unread].map((table) => `SELECT on ${table}`))
  if (missing.length > 0) return createProblem(`may not ${missing.join(', ')}`, GRANTS_COMMAND)
  const mayBook = await queryValue<boolean>(
    pool,
    `SELECT has_any_column_privilege('bookings', 'INSERT, UPDATE') OR has_table_privilege('bookings', 'DELETE')`,
  )
  if (mayBook) return createWarning('may write bookings, which only workers do', GRANTS_COMMAND)
  const seen = columns
    .filter(({ may, hidden }) => may && hidden)
    .map(({ table, column }) => `${table}.${column}`)
  if (seen.length > 0)
    return createWarning(`may read ${seen.join(', ')}, which only workers do`, GRANTS_COMMAND)
  return 'may only write its own tables'
}

type ColumnRight = { table: string; column: string; may: boolean; hidden: boolean }

async function findColumnRights(pool: pg.Pool): Promise<ColumnRight[]> {
  const { rows } = await pool.query<Omit<ColumnRight, 'hidden'>>(
    `SELECT relname AS table, attname AS column, has_column_privilege(pg_class.oid, attnum, 'SELECT') AS may
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
  )
  const hidden = listHiddenColumns()
  const isHidden = (row: { table: string; column: string }) =>
    hidden.some(({ table, column }) => table === row.table && column === row.column)
  return rows.map((row) => ({ ...row, hidden: isHidden(row) }))
}
