// Connections to Postgres: a knex for whoever writes or migrates, a bare pool for whoever reads by prepared
// statements. Instants stay text on their way through: a JavaScript Date would lose the microseconds.
import knex, { type Knex } from 'knex'
import pg from 'pg'

const INT8 = 20
const TIMESTAMPTZ = 1184
pg.types.setTypeParser(INT8, Number)
pg.types.setTypeParser(TIMESTAMPTZ, (text: string) => text)

export type DatabaseOptions = {
  applicationName?: string
  connectionsMax?: number
  queryTimeoutMs?: number
}

function connectionSettings(url: string, options: DatabaseOptions): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: options.applicationName ?? 'berth',
    connectionTimeoutMillis: 2_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    ...(options.queryTimeoutMs === undefined ? {} : { query_timeout: options.queryTimeoutMs }),
  }
}

export function connectDatabase(url: string, options: DatabaseOptions = {}): Knex {
  return knex({
    client: 'pg',
    connection: connectionSettings(url, options) as Knex.PgConnectionConfig,
    pool: { min: 0, max: options.connectionsMax ?? 5 },
    acquireConnectionTimeout: 5_000,
  })
}

export function connectPool(url: string, options: DatabaseOptions = {}): pg.Pool {
  const pool = new pg.Pool({ ...connectionSettings(url, options), max: options.connectionsMax ?? 10 })
  // An idle connection that breaks is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => undefined)
  return pool
}

/** The only row of a statement that always returns one. */
export function onlyRow<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined || rows.length > 1) throw new Error(`Expected one row, got ${rows.length}`)
  return row
}
