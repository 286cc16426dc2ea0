// What reads are asked of: the connections to one server, the primary or a replica of it.
import type pg from 'pg'
import { connectPool } from '../../shared/database.ts'
import { PIPELINES, PointReads } from './point-reads.ts'

export type ReadConnections = {
  pool: pg.Pool
  /** Answers reads of one row by an index. */
  pointReads: PointReads
  /** For long listings, which hold a connection as long as their client takes. */
  streams: pg.Pool
  close(): Promise<void>
}

// A read that takes longer than this would be answered too late anyway, and Postgres ends it.
const STATEMENT_TIMEOUT_MS = 2_000
// A Postgres that takes packets but never answers must count as down; one that answers has this time to say that it
// ended a statement.
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 200
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000

type PoolOptions = { applicationName: string; connectionsMax: number; pipeline?: boolean }

/** One whose statements end before anybody has waited too long. */
export function connectQuickPool(url: string, options: PoolOptions): pg.Pool {
  return connectPool(url, {
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    ...options,
  })
}

/** Those to the server of `pool`, which is theirs from here on; they are opened when they are needed. */
export function openReadConnections(
  url: string,
  pool: pg.Pool,
  { streamConnectionsMax }: { streamConnectionsMax: number },
): ReadConnections {
  const pipelines = connectQuickPool(url, {
    applicationName: 'berth-point-reads',
    connectionsMax: PIPELINES,
    pipeline: true,
  })
  const pointReads = new PointReads(pool, pipelines)
  // Without a timeout of statements, which would cut a stream off, however fast its client takes it; but none waits
  // longer for a lock than a read does.
  const streams = connectPool(url, {
    applicationName: 'berth-streams',
    connectionsMax: streamConnectionsMax,
    lockTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
  return {
    pool,
    pointReads,
    streams,
    async close() {
      await pointReads.close()
      await Promise.all([pool.end(), streams.end()])
    },
  }
}
