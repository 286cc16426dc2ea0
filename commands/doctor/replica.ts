// Checks the replica: a standby of this database, not too far behind, that does not cancel long listings.
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { connectPool, onlyRow } from '../../shared/database/database.ts'
import { formatIdentity, isSameDatabase, readIdentity } from '../../shared/identity/identity.ts'
import type { Config } from '../../shared/settings/config.ts'
import { examine, type Finding, ok, problem, warning } from './findings.ts'
import { FACTS_SQL, type Facts, judgeConnections, withPool } from './postgres.ts'
import { countReplicaConnections, type ProcessCounts, replicaUrlOf } from './settings.ts'

const POLL_EVERY_MS = 20
const LAG_MS_MAX = 10_000
const LAG = 'lag of the replica'

export async function checkReplica(config: Config, counts: ProcessCounts): Promise<Finding[]> {
  const url = replicaUrlOf(config)
  if (!url) return []
  return withPool('DATABASE_READ_URL', url, async (replica) => {
    const facts = onlyRow((await replica.query<Facts>(FACTS_SQL)).rows)
    const findings = judgeReplica(facts, countReplicaConnections(config, counts))
    if (!facts.isStandby) return findings
    const cancelling = await examine('long listings', () => checkCancelling(replica))
    return [...findings, ...cancelling, ...(await comparePrimary(replica, config))]
  })
}

export function judgeReplica(facts: Facts, wanted: number): Finding[] {
  const connections = judgeConnections(facts, wanted, 'connections of the replica')
  if (facts.isStandby) return [connections]
  return [
    warning(
      'role of the replica',
      'it is no standby, and answers no reads',
      'Name a standby in DATABASE_READ_URL, or unset it.',
    ),
    connections,
  ]
}

async function checkCancelling(replica: pg.Pool): Promise<Finding> {
  const about = 'long listings'
  const { rows } = await replica.query<{ feedback: string }>(
    `SELECT current_setting('hot_standby_feedback') AS feedback`,
  )
  if (onlyRow(rows).feedback === 'on') return ok(about, 'are not cut off by what the replica replays')
  return warning(
    about,
    'hot_standby_feedback is off: the replica cuts off reads that are in the way of its replay',
    'ALTER SYSTEM SET hot_standby_feedback = on; SELECT pg_reload_conf(), on the replica.',
  )
}

async function comparePrimary(replica: pg.Pool, config: Config): Promise<Finding[]> {
  const primary = connectPool(config.gatewayDatabaseUrl ?? config.databaseUrl, {
    applicationName: 'berth-doctor',
    connectionsMax: 1,
    queryTimeoutMs: LAG_MS_MAX,
  })
  try {
    const [own, its] = await Promise.all([primary, replica].map(identityOf))
    if (isSameDatabase(String(own), String(its)))
      return await examine(LAG, () => checkLag(primary, replica, config))
    return [
      problem(
        'database of the replica',
        'is another one than that of the primary, and answers no reads',
        'Name a standby of the server in DATABASE_URL, and the same database.',
      ),
    ]
  } catch (error) {
    // A failing primary is reported by other findings.
    return await examine(LAG, () => Promise.reject(error))
  } finally {
    await primary.end()
  }
}

async function identityOf(pool: pg.Pool): Promise<string> {
  return formatIdentity(
    await readIdentity(async (sql) => (await pool.query<Record<string, unknown>>(sql)).rows),
  )
}

/** Measures how long the replica takes to replay what the primary has flushed by now. */
async function checkLag(primary: pg.Pool, replica: pg.Pool, { replicaLagMsMax }: Config): Promise<Finding> {
  const limitMs = Math.min(replicaLagMsMax, LAG_MS_MAX)
  const { rows } = await primary.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn() AS lsn')
  const { lsn } = onlyRow(rows)
  const startedMs = performance.now()
  for (;;) {
    const { rows: replayed } = await replica.query<{ has: boolean }>(
      'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS has',
      [lsn],
    )
    const tookMs = Math.round(performance.now() - startedMs)
    if (onlyRow(replayed).has) return ok(LAG, `within ${tookMs} ms it has what the primary had`)
    if (tookMs > limitMs)
      return warning(
        LAG,
        `after ${tookMs} ms it does not have what the primary had: reads go to the primary`,
        'Look at pg_stat_replication on the primary, and at pg_is_wal_replay_paused() on the replica.',
      )
    await wait(POLL_EVERY_MS)
  }
}
