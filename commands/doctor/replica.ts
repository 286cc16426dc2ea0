// Checks the replica: a standby of this database, not too far behind, that does not cancel long listings.
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { isSameDatabase } from '../../shared/identity/identity.ts'
import type { Config } from '../../shared/settings/config.ts'
import { checkServer, databaseOf, queryRow, queryValue, withPool } from './connections.ts'
import {
  type Checks,
  examine,
  type Finding,
  judge,
  problem,
  toFinding,
  type Verdict,
  warning,
} from './findings.ts'
import { FACTS_SQL, type Facts, judgeConnections } from './postgres.ts'
import { countReplicaConnections, type ProcessCounts, replicaUrlOf } from './settings.ts'

const POLL_EVERY_MS = 20
const LAG_MS_MAX = 10_000

export async function checkReplica(config: Config, counts: ProcessCounts): Promise<Finding[]> {
  const url = replicaUrlOf(config)
  if (!url) return []
  return checkServer('DATABASE_READ_URL', url, async (replica) => {
    const facts = await queryRow<Facts>(replica, FACTS_SQL)
    const findings = judgeReplica(facts, countReplicaConnections(config, counts))
    if (!facts.isStandby) return findings
    const cancelling = await examine({ 'long listings': () => checkCancelling(replica) })
    return [...findings, ...cancelling, ...(await comparePrimary(replica, config))]
  })
}

const CHECKS: Checks<Facts & { wanted: number }> = {
  'role of the replica': ({ isStandby }) =>
    isStandby
      ? undefined
      : warning(
          'it is no standby, and answers no reads',
          'Name a standby in DATABASE_READ_URL, or unset it.',
        ),
  'connections of the replica': judgeConnections,
}

export const judgeReplica = (facts: Facts, wanted: number) => judge(CHECKS, { ...facts, wanted })

async function checkCancelling(replica: pg.Pool): Promise<Verdict> {
  if ((await queryValue<string>(replica, "SELECT current_setting('hot_standby_feedback')")) === 'on')
    return 'are not cut off by what the replica replays'
  return warning(
    'hot_standby_feedback is off: the replica cuts off reads that are in the way of its replay',
    'ALTER SYSTEM SET hot_standby_feedback = on; SELECT pg_reload_conf(), on the replica.',
  )
}

function comparePrimary(replica: pg.Pool, config: Config): Promise<Finding[]> {
  return withPool(config.gatewayDatabaseUrl ?? config.databaseUrl, async (primary) => {
    const [own, its] = await Promise.all([databaseOf(primary), databaseOf(replica)])
    if (isSameDatabase(own, its))
      return examine({ 'lag of the replica': () => checkLag(primary, replica, config) })
    return toFinding(
      'database of the replica',
      problem(
        'is another one than that of the primary, and answers no reads',
        'Name a standby of the server in DATABASE_URL, and the same database.',
      ),
    )
    // A failing primary is reported by other findings.
  }).catch((error) => examine({ 'lag of the replica': () => Promise.reject(error) }))
}

/** Measures how long the replica takes to replay what the primary has flushed by now. */
async function checkLag(primary: pg.Pool, replica: pg.Pool, { replicaLagMsMax }: Config): Promise<Verdict> {
  const limitMs = Math.min(replicaLagMsMax, LAG_MS_MAX)
  const lsn = await queryValue<string>(primary, 'SELECT pg_current_wal_flush_lsn()')
  const startedMs = performance.now()
  for (;;) {
    const has = await queryValue<boolean>(replica, 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn', [lsn])
    const tookMs = Math.round(performance.now() - startedMs)
    if (has) return `within ${tookMs} ms it has what the primary had`
    if (tookMs > limitMs)
      return warning(
        `after ${tookMs} ms it does not have what the primary had: reads go to the primary`,
        'Look at pg_stat_replication on the primary, and at pg_is_wal_replay_paused() on the replica.',
      )
    await wait(POLL_EVERY_MS)
  }
}
