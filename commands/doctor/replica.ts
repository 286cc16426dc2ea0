// Checks that the replica is a standby of this database, is not too far behind and does not cancel long listings.
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { isSameDatabase } from '../../shared/identity/identity.ts'
import type { Config } from '../../shared/settings/config.ts'
import { checkServer, queryRow, queryValue, readFormattedIdentity, withDatabasePool } from './connections.ts'
import {
  type CheckResult,
  checkFacts,
  createProblem,
  createWarning,
  type FactChecks,
  type Finding,
  runChecks,
  toFindings,
} from './findings.ts'
import { checkConnections, POSTGRES_FACTS_SQL, type PostgresFacts } from './postgres.ts'
import { countReplicaConnections, getReplicaUrl, type ProcessCounts } from './settings.ts'

const POLL_INTERVAL_MS = 20
const LAG_MS_MAX = 10_000

export async function checkReplica(config: Config, counts: ProcessCounts): Promise<Finding[]> {
  const url = getReplicaUrl(config)
  if (!url) return []
  return checkServer('DATABASE_READ_URL', url, async (replica) => {
    const facts = await queryRow<PostgresFacts>(replica, POSTGRES_FACTS_SQL)
    const findings = checkReplicaFacts(facts, countReplicaConnections(config, counts))
    if (!facts.isStandby) return findings
    const cancelling = await runChecks({ 'long listings': () => checkCancelling(replica) })
    return [...findings, ...cancelling, ...(await compareWithPrimary(replica, config))]
  })
}

const REPLICA_CHECKS: FactChecks<PostgresFacts & { wanted: number }> = {
  'role of the replica': ({ isStandby }) =>
    isStandby
      ? undefined
      : createWarning(
          'it is no standby, and answers no reads',
          'Name a standby in DATABASE_READ_URL, or unset it.',
        ),
  'connections of the replica': checkConnections,
}

export const checkReplicaFacts = (facts: PostgresFacts, wanted: number) =>
  checkFacts(REPLICA_CHECKS, { ...facts, wanted })

async function checkCancelling(replica: pg.Pool): Promise<CheckResult> {
  if ((await queryValue<string>(replica, "SELECT current_setting('hot_standby_feedback')")) === 'on')
    return 'are not cancelled by what the replica replays'
  return createWarning(
    'hot_standby_feedback is off: the replica cuts off reads that are in the way of its replay',
    'ALTER SYSTEM SET hot_standby_feedback = on; SELECT pg_reload_conf(), on the replica.',
  )
}

function compareWithPrimary(replica: pg.Pool, config: Config): Promise<Finding[]> {
  return withDatabasePool(config.gatewayDatabaseUrl ?? config.databaseUrl, async (primary) => {
    const [own, its] = await Promise.all([readFormattedIdentity(primary), readFormattedIdentity(replica)])
    if (isSameDatabase(own, its))
      return runChecks({ 'lag of the replica': () => checkLag(primary, replica, config) })
    return toFindings(
      'database of the replica',
      createProblem(
        'is another one than that of the primary, and answers no reads',
        'Name a standby of the server in DATABASE_URL, and the same database.',
      ),
    )
    // Other findings report a failing primary.
  }).catch((error) => runChecks({ 'lag of the replica': () => Promise.reject(error) }))
}

/** Measures how long the replica takes to replay what the primary has flushed by now. */
async function checkLag(
  primary: pg.Pool,
  replica: pg.Pool,
  { replicaLagMsMax }: Config,
): Promise<CheckResult> {
  const limitMs = Math.min(replicaLagMsMax, LAG_MS_MAX)
  const lsn = await queryValue<string>(primary, 'SELECT pg_current_wal_flush_lsn()')
  const startedMs = performance.now()
  for (;;) {
    const has = await queryValue<boolean>(replica, 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn', [lsn])
    const tookMs = Math.round(performance.now() - startedMs)
    if (has) return `within ${tookMs} ms it has what the primary had`
    if (tookMs > limitMs)
      return createWarning(
        `after ${tookMs} ms it does not have what the primary had: reads go to the primary`,
        'Look at pg_stat_replication on the primary, and at pg_is_wal_replay_paused() on the replica.',
      )
    await wait(POLL_INTERVAL_MS)
  }
}
