// Opens the gateway's connections: connections for reads from one server, and reserved connections.
import type pg from 'pg'
import { connectPool } from '../../../shared/database/database.ts'
import { PIPELINE_CONNECTIONS, PointReads } from './point-reads.ts'

export type ReadConnections = ReturnType<typeof openReadConnections>

// The time limit of a statement. A read that takes longer would be answered too late anyway, so Postgres cancels it.
const STATEMENT_TIMEOUT_MS = 2_000
// The time limit of a query. If Postgres accepts packets but never answers, it must count as down. This limit
// is longer than the statement's limit, so that Postgres has time to report a cancelled statement.
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 200
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000

type PoolOptions = {
  applicationName: string
  connectionsMax: number
  pipeline?: boolean
  settings?: Record<string, string>
}

// The maximum number of connections for people's own pages, which therefore never take one from the API. There are
// fewer if Postgres allows few.
const PEOPLE_CONNECTIONS_MAX = 4
// Makes Postgres plan each statement of people's own pages once. These statements are long, because they are
// limited to what a person may see, and planning one takes longer than running it.
const PLAN_ONCE_SETTINGS = { plan_cache_mode: 'force_generic_plan' }

export function connectQuickPool(url: string, options: PoolOptions): pg.Pool {
  return connectPool(url, {
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    ...options,
  })
}

/** Opens the connections to the server of `pool`, and takes over that pool. Each connection is opened on demand. */
export function openReadConnections(
  url: string,
  pool: pg.Pool,
  {
    streamConnectionsMax,
    databaseConnectionsMax,
  }: { streamConnectionsMax: number; databaseConnectionsMax: number },
) {
  const pipelined = {
    applicationName: 'berth-point-reads',
    connectionsMax: PIPELINE_CONNECTIONS,
    pipeline: true,
  }
  const pointReads = new PointReads(pool, connectQuickPool(url, pipelined))
  // Connections for long listings, which hold a connection for as long as their client reads. They have no
  // statement timeout, because it would cut off a stream even if the client reads fast. A stream waits no
  // longer for a lock than a read does.
  const streams = connectPool(url, {
    applicationName: 'berth-streams',
    connectionsMax: streamConnectionsMax,
    lockTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
  const people = connectQuickPool(url, {
    applicationName: 'berth-people',
    connectionsMax: Math.min(PEOPLE_CONNECTIONS_MAX, Math.ceil(databaseConnectionsMax / 2)),
    settings: PLAN_ONCE_SETTINGS,
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

/** The numbers of connections that reads cannot use. Without these connections, the work described below
 * would wait behind reads just when there are too many reads. */
const RESERVED_CONNECTIONS = {
  /** Connections for looking up tokens and sessions. */
  authentication: 2,
  /** Connections for receipts and accepted jobs. Cancelling an attempt may have to wait for its worker. */
  receipts: 4,
  /** Connections for the content of screens, and for finding changes of that content. */
  screens: 2,
  /** The connection for readiness checks, and for occasional queries of the process itself. */
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
