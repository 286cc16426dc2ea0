// Opens the servers that answer reads: the primary, and the replica if DATABASE_READ_URL names one.
import type { Redis } from 'ioredis'
import type pg from 'pg'
import type { Heartbeat } from '../../shared/identity/heartbeat.ts'
import type { Config } from '../../shared/settings/config.ts'
import type { Log } from '../../shared/utilities/log.ts'
import type { Admission } from '../overload/admission.ts'
import { LastWrites } from './last-writes.ts'
import { connectQuickPool, openReadConnections } from './read-connections.ts'
import { type Observer, Reads } from './reads.ts'
import { Replica } from './replica.ts'
import type { ReservedConnections } from './reserved-connections.ts'

type Parts = {
  config: Config
  primary: pg.Pool
  primaryUrl: string
  reserved: ReservedConnections
  admission: Admission
  redis: Redis
  /** Knows which database this gateway has. */
  identity: Heartbeat
  /** Redis is up, and the names of its keys are known. */
  isRedisUp: () => boolean
  nameOf: (key: string) => string
  observerOf: (replica: Replica) => Observer
  log: Log
}

// Reads that wait for the replica share these connections.
const WAIT_CONNECTIONS_MAX = 2
// Much longer than it takes to find out how far the replica is behind.
const LAG_DETECTION_MS = 60_000

export function openReads(parts: Parts): Reads {
  const { config, primary, primaryUrl, reserved, admission, redis, isRedisUp, nameOf, log } = parts
  const onPrimary = openReadConnections(primaryUrl, primary, config)
  const { databaseUrl, databaseReadUrl: url, databaseConnectionsMax: connectionsMax } = config
  if (url === undefined || url === databaseUrl || url === primaryUrl) return new Reads(onPrimary, admission)
  const replica = new Replica({
    connections: openReadConnections(
      url,
      connectQuickPool(url, { applicationName: 'berth-reads', connectionsMax }),
      config,
    ),
    looks: connectQuickPool(url, { applicationName: 'berth-replica', connectionsMax: WAIT_CONNECTIONS_MAX }),
    primary: reserved.operations,
    identity: parts.identity,
    waitMs: config.replicaWaitMs,
    lagMsMax: config.replicaLagMsMax,
    log,
  })
  const keptMs = config.replicaLagMsMax + LAG_DETECTION_MS
  const lastWrites = new LastWrites({ primary: reserved.receipts, redis, isRedisUp, nameOf, keptMs })
  return new Reads(onPrimary, admission, { replica, lastWrites, observe: parts.observerOf(replica) })
}
