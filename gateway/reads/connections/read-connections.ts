// The connections of the gateway: for reads from one server, and reserved ones.
import type pg from 'pg'
import { connectPool } from '../../../shared/database/database.ts'
import { PIPELINES, PointReads } from './point-reads.ts'

export type ReadConnections = ReturnType<typeof openReadConnections>

// A read that takes longer would be answered too late anyway, so Postgres cancels it.
const STATEMENT_TIMEOUT_MS = 2_000
// A Postgres that accepts packets but never answers must count as down. One that does answer has this much
// time to report that it cancelled a statement.
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 200
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000

type PoolOptions = {
  applicationName: string
  connectionsMax: number
  pipeline?: boolean
  settings?: Record<string, string>
}

// People's own pages have these connections, so they never take one from the API. They have fewer if Postgres allows few.
const PEOPLE_CONNECTIONS_MAX = 4
// Those statements are long, because they are limited to what a person may see: planning one takes longer than running it.
const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan' }

export function connectQuickPool(url: string, options: PoolOptions): pg.Pool {
  return connectPool(url, {
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    ...options,
  })
}

/** Opens the connections to the server of `pool`, which they own from here on. They connect on demand. */
export function openReadConnections(
  url: string,
  pool: pg.Pool,
  {
    streamConnectionsMax,
    databaseConnectionsMax,
  }: { streamConnectionsMax: number; databaseConnectionsMax: number },
) {
  const pipelined = { applicationName: 'berth-point-reads', connectionsMax: PIPELINES, pipeline: true }
  const pointReads = new PointReads(pool, connectQuickPool(url, pipelined))
  // For long listings, which hold a connection for as long as their client takes. They have no statement timeout, which
  // would cut off a stream however fast its client reads, but a stream waits no longer for a lock than a read does.
  const streams = connectPool(url, {
    applicationName: 'berth-streams',
    connectionsMax: streamConnectionsMax,
    lockTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
  const people = connectQuickPool(url, {
    applicationName: 'berth-people',
    connectionsMax: Math.min(PEOPLE_CONNECTIONS_MAX, Math.ceil(databaseConnectionsMax / 2)),
    settings: PLANNED_ONCE,
  })
  return {
    pool,
    pointReads,
    streams,
    people,
    async close() {
      await pointReads.close()
      await Promise.all([pool.end(), streams.end(), people.end()])
    },
  }
}

/** Reads cannot use these connections: otherwise all of this would wait behind reads, just when there are too many. */
const RESERVED_CONNECTIONS = {
  /** Tokens and sessions. */
  authentication: 2,
  /** Receipts and accepted jobs. Calling an attempt off may have to wait for its worker. */
  receipts: 4,
  /** Connections for the content of screens and for finding its changes. */
  screens: 2,
  /** Readiness, and the occasional queries of the process itself. */
  operations: 1,
}

export type ReservedConnections = Record<keyof typeof RESERVED_CONNECTIONS, pg.Pool>

export function openReservedConnections(primaryUrl: string): ReservedConnections {
  const pools = Object.entries(RESERVED_CONNECTIONS).map(([name, connectionsMax]) => [
    name,
    connectQuickPool(primaryUrl, { applicationName: `berth-${name}`, connectionsMax }),
  ])
  return Object.fromEntries(pools)
}
