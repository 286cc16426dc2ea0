// Checks Postgres: every address reachable, the version, the migrations, free connections, the disk, the clock.
import { statfsSync } from 'node:fs'
import type pg from 'pg'
import { connectDatabase } from '../../shared/database/database.ts'
import { isDiskFull } from '../../shared/database/faults.ts'
import { gatewayRights, hiddenColumns } from '../../shared/database/grants.ts'
import { migrationStatus } from '../../shared/database/migrations.ts'
import type { Config } from '../../shared/settings/config.ts'
import { CLOCK_SQL } from '../../shared/utilities/clock.ts'
import { checkServer, queryRow, queryValue } from './connections.ts'
import {
  type Checks,
  examine,
  type Finding,
  formatSize,
  judge,
  judgeClock,
  leastAheadMs,
  problem,
  toFinding,
  type Verdict,
  warning,
} from './findings.ts'
import { checkMailQueue } from './mail.ts'
import { checkPooler } from './pooler.ts'
import { countConnections, type ProcessCounts } from './settings.ts'
import { checkWebhooks } from './webhooks.ts'

const VERSION_MIN = 15
const FREE_BYTES_MIN = 2 * 1024 ** 3

const EXTENSIONS = ['btree_gist', 'pg_trgm']
const EXTENSIONS_SQL = `SELECT unnest('{${EXTENSIONS}}'::text[])`

export const FACTS_SQL = `
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

export type Facts = {
  version: string
  isStandby: boolean
  verbosity: string
  allowed: number
  others: number
  /** Connection limits of the database and the role; null if there is none. */
  databaseLimit: number | null
  roleLimit: number | null
  missingExtensions: string[]
  missingExtensionFiles: string[]
  bytes: number
}

export async function checkPostgres(config: Config, counts: ProcessCounts): Promise<Finding[]> {
  const { databaseUrl, gatewayDatabaseUrl } = config
  const main = await checkServer('DATABASE_URL', databaseUrl, async (pool) => {
    const found = await queryRow<Facts>(pool, FACTS_SQL)
    // If the gateway has its own role, this role's limit does not cover all processes.
    const facts = gatewayDatabaseUrl ? { ...found, roleLimit: null } : found
    const examined = await examine({
      migrations: () => checkMigrations(databaseUrl),
      'clock of Postgres': () => checkClock(pool),
      'disk of Postgres': () => checkDisk(pool, facts),
    })
    return [
      ...judgePostgres(facts, countConnections(config, counts)),
      ...examined,
      ...(await checkWebhooks(pool)),
      ...(await checkMailQueue(pool, config)),
    ]
  })
  const gateway = gatewayDatabaseUrl
    ? await checkServer('GATEWAY_DATABASE_URL', gatewayDatabaseUrl, async (pool) =>
        toFinding('gateway role', await checkRights(pool)),
      )
    : []
  const pooler = await checkPooler(gatewayDatabaseUrl ?? databaseUrl)
  const workersPooler = gatewayDatabaseUrl ? await checkPooler(databaseUrl, 'workers') : []
  return [...main, ...gateway, ...pooler, ...workersPooler]
}

const CHECKS: Checks<Facts & { wanted: number }> = {
  Postgres: ({ version }) =>
    Number.parseInt(version, 10) >= VERSION_MIN
      ? version
      : problem(`${version} is too old`, `Install PostgreSQL ${VERSION_MIN} or later.`),
  extensions({ missingExtensions: [missing], missingExtensionFiles: [missingFiles] }) {
    if (missing === undefined) return EXTENSIONS.join(', ')
    return missingFiles === undefined
      ? problem(
          `${missing} is not created`,
          `npm run migrate, or CREATE EXTENSION ${missing} as a superuser.`,
        )
      : problem(`${missingFiles} is not installed`, 'Install the contrib package of PostgreSQL.')
  },
  connections: judgeConnections,
  'log of Postgres': ({ verbosity }) =>
    verbosity === 'terse'
      ? 'quotes no rows'
      : warning(
          `log_error_verbosity is ${verbosity}: it quotes the rows that break a rule, names and e-mails among them`,
          'ALTER SYSTEM SET log_error_verbosity = terse; SELECT pg_reload_conf().',
        ),
  'role of Postgres': ({ isStandby }) =>
    isStandby
      ? problem('it is a standby, which takes no writes', 'Name its primary in DATABASE_URL.')
      : undefined,
}

export const judgePostgres = (facts: Facts, wanted: number) => judge(CHECKS, { ...facts, wanted })

export function judgeConnections({
  allowed,
  others,
  databaseLimit,
  roleLimit,
  wanted,
}: Facts & { wanted: number }): Verdict {
  // Managed databases limit a role or a database; their max_connections is shared with others.
  const limit = Math.min(databaseLimit ?? allowed, roleLimit ?? allowed)
  const free = Math.min(allowed - others, limit)
  const room =
    limit < allowed
      ? `this role and database may have ${free}`
      : `${free} of ${allowed} are not taken by others`
  const says = `all processes may take ${wanted}; ${room}`
  const todo = 'Raise max_connections, lower DATABASE_CONNECTIONS_MAX, or put a PgBouncer in between.'
  return wanted <= free ? says : warning(says, todo)
}

async function checkMigrations(url: string): Promise<Verdict> {
  const database = connectDatabase(url, { applicationName: 'berth-doctor', connectionsMax: 1 })
  try {
    const { applied, pending } = await migrationStatus(database)
    return pending.length === 0
      ? `all ${applied.length} are applied`
      : problem(`${pending.length} are pending: ${pending.join(', ')}`, 'npm run migrate')
  } finally {
    await database.destroy()
  }
}

async function checkClock(pool: pg.Pool): Promise<Verdict> {
  const aheadMs = await leastAheadMs(() => queryValue<number>(pool, CLOCK_SQL))
  return judgeClock(aheadMs, (says, todo) => problem(`${says}: deadlines follow it`, todo))
}

// Postgres does not report the free space, so this writes some data and rolls back. If Postgres runs on this
// machine, it also asks the file system.
async function checkDisk(pool: pg.Pool, { bytes }: Facts): Promise<Verdict> {
  const size = `the database has ${formatSize(bytes)}`
  if (await isFull(pool))
    return problem(
      `${size}, and the disk is full: every write is refused`,
      'Make room, or give it a larger disk. Archived WAL that is not taken away (pg_stat_archiver) and old logs fill it often.',
    )
  const free = await freeBytes(pool).catch(() => undefined)
  if (free === undefined) return `${size}; how much is free is not to be seen from here`
  const says = `${size}, ${formatSize(free)} are free`
  return free >= Math.max(FREE_BYTES_MIN, bytes / 10)
    ? says
    : warning(says, 'Make room: Postgres stops when its disk is full.')
}

// A megabyte in a temporary table.
const WRITE_SQL = `
  CREATE TEMPORARY TABLE berth_doctor ON COMMIT DROP AS
  SELECT repeat(md5(n::text), 30) AS filler FROM generate_series(1, 1024) AS n`

async function isFull(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(WRITE_SQL)
    return false
  } catch (error) {
    // A read-only role or a standby is reported by another finding.
    return isDiskFull(error)
  } finally {
    await client.query('ROLLBACK').catch(() => undefined)
    client.release()
  }
}

async function freeBytes(pool: pg.Pool): Promise<number> {
  const { bavail, bsize } = statfsSync(
    await queryValue<string>(pool, "SELECT current_setting('data_directory')"),
  )
  return bavail * bsize
}

const TODO = 'npm run --silent grants -- --role NAME | psql "$DATABASE_URL"'

export async function checkRights(pool: pg.Pool): Promise<Verdict> {
  const missing: string[] = []
  for (const { table, verb } of gatewayRights()) {
    const of = verb === 'DELETE' ? 'table' : 'any_column'
    if (!(await queryValue<boolean>(pool, `SELECT has_${of}_privilege($1, $2)`, [table, verb])))
      missing.push(`${verb} on ${table}`)
  }
  const columns = await readableColumns(pool)
  const unread = new Set(columns.filter(({ may, hidden }) => !may && !hidden).map(({ table }) => table))
  missing.push(...[...unread].map((table) => `SELECT on ${table}`))
  if (missing.length > 0) return problem(`may not ${missing.join(', ')}`, TODO)
  const mayBook = await queryValue<boolean>(
    pool,
    `SELECT has_any_column_privilege('bookings', 'INSERT, UPDATE') OR has_table_privilege('bookings', 'DELETE')`,
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
