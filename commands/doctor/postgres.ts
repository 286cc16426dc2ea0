// Checks Postgres: every address reachable, the version, the migrations, free connections, the clock.
import type pg from 'pg'
import { explainConnectionFault } from '../../shared/database/connection-faults.ts'
import { connectDatabase, connectPool, onlyRow } from '../../shared/database/database.ts'
import { migrationStatus } from '../../shared/database/migrations.ts'
import type { Config } from '../../shared/settings/config.ts'
import { CLOCK_SQL } from '../../shared/utilities/clock.ts'
import { judgeClock, leastAheadMs } from './clocks.ts'
import { checkDisk } from './disk.ts'
import { examine, type Finding, ok, problem, warning } from './findings.ts'
import { checkGatewayRole } from './gateway-role.ts'
import { checkPooler } from './pooler.ts'
import { countConnections, type ProcessCounts } from './settings.ts'
import { checkWebhooks } from './webhooks.ts'

const VERSION_MIN = 15

export const FACTS_SQL = `
  SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isStandby",
    current_setting('log_error_verbosity') AS verbosity,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS allowed,
    (SELECT count(*) FROM pg_stat_activity
      WHERE backend_type = 'client backend'
        AND NOT (datname = current_database() AND application_name LIKE 'berth-%'))::int AS others,
    (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()) AS "databaseLimit",
    (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user AND NOT rolsuper) AS "roleLimit",
    EXISTS (SELECT FROM pg_extension WHERE extname = 'btree_gist') AS "hasExtension",
    EXISTS (SELECT FROM pg_available_extensions WHERE name = 'btree_gist') AS "hasExtensionFiles",
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
  hasExtension: boolean
  hasExtensionFiles: boolean
  bytes: number
}

export async function checkPostgres(config: Config, counts: ProcessCounts): Promise<Finding[]> {
  const { databaseUrl, gatewayDatabaseUrl } = config
  const main = await withPool('DATABASE_URL', databaseUrl, async (pool) => {
    const found = onlyRow((await pool.query<Facts>(FACTS_SQL)).rows)
    // If the gateway has its own role, this role's limit does not cover all processes.
    const facts = gatewayDatabaseUrl ? { ...found, roleLimit: null } : found
    const examined = await Promise.all([
      examine('migrations', () => checkMigrations(databaseUrl)),
      examine('clock of Postgres', () => checkClock(pool)),
      examine('disk of Postgres', () => checkDisk(pool, facts)),
      examine('webhooks', () => checkWebhooks(pool)),
    ])
    return [...judgePostgres(facts, countConnections(config, counts)), ...examined.flat()]
  })
  const gateway = gatewayDatabaseUrl
    ? await withPool('GATEWAY_DATABASE_URL', gatewayDatabaseUrl, checkGatewayRole)
    : []
  const pooler = await checkPooler(gatewayDatabaseUrl ?? databaseUrl)
  const workersPooler = gatewayDatabaseUrl ? await checkPooler(databaseUrl, 'workers') : []
  return [...main, ...gateway, ...pooler, ...workersPooler]
}

export async function withPool(
  setting: string,
  url: string,
  check: (pool: pg.Pool) => Promise<Finding[]>,
): Promise<Finding[]> {
  const pool = connectPool(url, {
    applicationName: 'berth-doctor',
    connectionsMax: 2,
    queryTimeoutMs: 10_000,
  })
  try {
    const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name')
    return [ok(setting, `connects to the database ${onlyRow(rows).name}`), ...(await check(pool))]
  } catch (error) {
    const reason = explainConnectionFault(error)
    const message = error instanceof Error ? error.message || String(error) : String(error)
    const says = reason === undefined ? message : `Postgres ${reason}: ${message}`
    return [
      problem(
        setting,
        says,
        `Start Postgres (where it does not start, its log says why: its disk may be full), or correct ${setting}.`,
      ),
    ]
  } finally {
    await pool.end()
  }
}

export function judgePostgres(facts: Facts, wanted: number): Finding[] {
  return [
    judgeVersion(facts),
    judgeExtension(facts),
    judgeConnections(facts, wanted),
    judgeLog(facts),
    judgeRole(facts),
  ].flat()
}

function judgeVersion({ version }: Facts): Finding {
  return Number.parseInt(version, 10) >= VERSION_MIN
    ? ok('Postgres', version)
    : problem('Postgres', `${version} is too old`, `Install PostgreSQL ${VERSION_MIN} or later.`)
}

function judgeExtension({ hasExtension, hasExtensionFiles }: Facts): Finding {
  if (hasExtension) return ok('extensions', 'btree_gist')
  return hasExtensionFiles
    ? problem(
        'extensions',
        'btree_gist is not created',
        'npm run migrate, or CREATE EXTENSION btree_gist as a superuser.',
      )
    : problem('extensions', 'btree_gist is not installed', 'Install the contrib package of PostgreSQL.')
}

export function judgeConnections(
  { allowed, others, databaseLimit, roleLimit }: Facts,
  wanted: number,
  about = 'connections',
): Finding {
  // Managed databases limit a role or a database; their max_connections is shared with others.
  const limit = Math.min(databaseLimit ?? allowed, roleLimit ?? allowed)
  const free = Math.min(allowed - others, limit)
  const room =
    limit < allowed
      ? `this role and database may have ${free}`
      : `${free} of ${allowed} are not taken by others`
  const says = `all processes may take ${wanted}; ${room}`
  if (wanted <= free) return ok(about, says)
  return warning(
    about,
    says,
    'Raise max_connections, lower DATABASE_CONNECTIONS_MAX, or put a PgBouncer in between.',
  )
}

function judgeLog({ verbosity }: Facts): Finding {
  if (verbosity === 'terse') return ok('log of Postgres', 'quotes no rows')
  return warning(
    'log of Postgres',
    `log_error_verbosity is ${verbosity}: it quotes the rows that break a rule, names and e-mails among them`,
    'ALTER SYSTEM SET log_error_verbosity = terse; SELECT pg_reload_conf().',
  )
}

function judgeRole({ isStandby }: Facts): Finding[] {
  if (!isStandby) return []
  return [
    problem(
      'role of Postgres',
      'it is a standby, which takes no writes',
      'Name its primary in DATABASE_URL.',
    ),
  ]
}

async function checkMigrations(url: string): Promise<Finding> {
  const database = connectDatabase(url, { applicationName: 'berth-doctor', connectionsMax: 1 })
  try {
    const { applied, pending } = await migrationStatus(database)
    return pending.length === 0
      ? ok('migrations', `all ${applied.length} are applied`)
      : problem('migrations', `${pending.length} are pending: ${pending.join(', ')}`, 'npm run migrate')
  } finally {
    await database.destroy()
  }
}

async function checkClock(pool: pg.Pool): Promise<Finding> {
  const ask = async () => onlyRow((await pool.query<{ ms: number }>(CLOCK_SQL)).rows).ms
  return judgeClock('clock of Postgres', await leastAheadMs(ask), (about, says, todo) =>
    problem(about, `${says}: deadlines follow it`, todo),
  )
}
