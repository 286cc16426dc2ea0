// Connections to Postgres: a knex for whoever writes or migrates, a bare pool for whoever reads by prepared
// statements. Instants stay text on their way through: a JavaScript Date would lose the microseconds.
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import type { Knex } from 'knex'
import pg from 'pg'
import { type DatabaseAddress, parseDatabaseAddress } from './connections/database-address.ts'
import { Hosts } from './connections/hosts.ts'
import { noteKnexPool, notePool } from './connections/open-pools.ts'
import { watchConnection, watchPool } from './connections/statements.ts'
import { sendUnnamed } from './connections/unnamed-statements.ts'

// Loaded where somebody asks for it: a gateway never does, and would start a sixth slower.
const require = createRequire(import.meta.url)

const INT8 = 20
const TIMESTAMPTZ = 1184
pg.types.setTypeParser(INT8, Number)
pg.types.setTypeParser(TIMESTAMPTZ, (text: string) => text)

export type DatabaseOptions = {
  applicationName?: string
  /** What the pool is called in figures; the application's name without “berth-” if unset. */
  poolName?: string
  connectionsMax?: number
  /** How long a connection may take: two seconds for a new one and five for one of a pool if unset. */
  connectTimeoutMs?: number
  /** How long Postgres works on a statement before it ends it. */
  statementTimeoutMs?: number
  /** How long a statement waits for a lock. */
  lockTimeoutMs?: number
  /** How long a transaction may pause before Postgres ends its connection. */
  idleInTransactionTimeoutMs?: number
  /**
   * How long this side waits for a result. Longer than a statement may take: a connection that is given up before costs
   * Postgres one more, which nobody counts, for as long as its statement goes on.
   */
  queryTimeoutMs?: number
  /** Settings of Postgres's that the connection begins with, beside those that all have. */
  settings?: Record<string, string>
  /** Statements are sent without waiting for the results of those before; what keeps a portal open is refused. */
  pipeline?: boolean
  /** Longer than any statement takes, and any pause in a transaction. */
  socketIdleTimeoutMs?: number
}

function connectionSettings(address: DatabaseAddress, options: DatabaseOptions): pg.ClientConfig {
  return {
    connectionString: address.hosts[0].url,
    application_name: options.applicationName ?? 'berth',
    connectionTimeoutMillis: options.connectTimeoutMs ?? 2_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    ...timeoutSettings(options),
    ...settingsOptions(options.settings),
    ...(options.pipeline ? { pipeline: true } : {}),
    ...socketSettings(address, options),
  }
}

// To compile a statement takes Postgres longer than any of ours takes, and it does so each time.
const SETTINGS = { jit: 'off' }

function settingsOptions(settings: Record<string, string> = {}): pg.ClientConfig {
  const options = Object.entries({ ...SETTINGS, ...settings }).map(([name, value]) => `-c ${name}=${value}`)
  return { options: options.join(' ') }
}

// Those of Postgres are told to it as the connection begins.
function timeoutSettings(options: DatabaseOptions): pg.ClientConfig {
  const { statementTimeoutMs, lockTimeoutMs, idleInTransactionTimeoutMs, queryTimeoutMs } = options
  return {
    ...(statementTimeoutMs === undefined ? {} : { statement_timeout: statementTimeoutMs }),
    ...(lockTimeoutMs === undefined ? {} : { lock_timeout: lockTimeoutMs }),
    ...(idleInTransactionTimeoutMs === undefined
      ? {}
      : { idle_in_transaction_session_timeout: idleInTransactionTimeoutMs }),
    ...(queryTimeoutMs === undefined ? {} : { query_timeout: queryTimeoutMs }),
  }
}

// The driver's own socket does where there is one host, and nothing to be noticed by it.
function socketSettings(
  address: DatabaseAddress,
  { socketIdleTimeoutMs }: DatabaseOptions,
): Pick<pg.ClientConfig, 'stream'> {
  const hosts = address.hosts.length > 1 ? new Hosts(address) : undefined
  const open = () => hosts?.socket() ?? new Socket()
  if (socketIdleTimeoutMs !== undefined) return { stream: () => leaveWhenIdle(open(), socketIdleTimeoutMs) }
  return hosts ? { stream: open } : {}
}

const SILENT_LOOKS = 4

// A machine that dies sends no word, and TCP waits a quarter of an hour for an answer to what it has sent: a connection
// on which nothing passes for so long is given up, idle ones too. It is looked at several times: for a process, or a machine, that
// stood still all of that time is but one look.
function leaveWhenIdle(socket: Socket, idleTimeoutMs: number): Socket {
  const timeout = Object.assign(new Error('Connection terminated: Postgres stopped responding'), {
    code: 'ETIMEDOUT',
  })
  let silentLooks = 0
  let passedBefore = -1
  socket.on('timeout', () => {
    const passed = socket.bytesRead + socket.bytesWritten
    silentLooks = passed === passedBefore ? silentLooks + 1 : 1
    passedBefore = passed
    if (silentLooks >= SILENT_LOOKS) socket.destroy(timeout)
    else socket.setTimeout(idleTimeoutMs / SILENT_LOOKS)
  })
  return socket.setTimeout(idleTimeoutMs / SILENT_LOOKS)
}

export function connectDatabase(url: string, options: DatabaseOptions = {}): Knex {
  const { knex }: typeof import('knex') = require('knex')
  const address = parseDatabaseAddress(url)
  const name = poolNameOf(options)
  const database = knex({
    client: 'pg',
    connection: connectionSettings(address, options) as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: options.connectionsMax ?? 5,
      afterCreate(connection: pg.Client, done: (error: null, connection: pg.Client) => void) {
        if (!address.preparesStatements) sendUnnamed(connection)
        watchConnection(name, connection)
        done(null, connection)
      },
    },
    acquireConnectionTimeout: options.connectTimeoutMs ?? 5_000,
    // Else values get into the message of an error where its statement has a question mark of its own.
    compileSqlOnError: false,
    // Whoever asks gets the error; knex would also write it on standard output, between the lines of the log.
    log: { debug() {}, warn() {}, error() {}, deprecate() {} },
  })
  noteKnexPool(name, database)
  return database
}

export function connectPool(url: string, options: DatabaseOptions = {}): pg.Pool {
  const address = parseDatabaseAddress(url)
  const pool = new pg.Pool({ ...connectionSettings(address, options), max: options.connectionsMax ?? 10 })
  // A connection that breaks is replaced at the next query. Without a listener it would end the process: the pool's own
  // hears of idle ones only, not of those that somebody has taken out.
  pool.on('error', () => undefined)
  const name = poolNameOf(options)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    if (!address.preparesStatements) sendUnnamed(client)
    watchConnection(name, client)
  })
  watchPool(pool)
  notePool(name, pool)
  return pool
}

function poolNameOf({ poolName, applicationName = 'berth' }: DatabaseOptions): string {
  return poolName ?? applicationName.replace(/^berth-/, '')
}

/** The only row of a statement that always returns one. */
export function onlyRow<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined || rows.length > 1) throw new Error(`Expected one row, got ${rows.length}`)
  return row
}
