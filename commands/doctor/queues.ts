// Checks which processes consume the queues, and whether jobs wait in a queue that has no worker.
import {
  findWrongClock,
  type HeartbeatMember,
  listProcesses,
  readLoads,
} from '../../shared/identity/heartbeat.ts'
import { formatIdentity, isSameDatabase } from '../../shared/identity/identity.ts'
import { REDIS_PARTS } from '../../shared/identity/keys.ts'
import { RedisConnections } from '../../shared/redis/connections.ts'
import { findOldestJobWaitMs, Queues } from '../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import type { Config } from '../../shared/settings/config.ts'
import { describeClock } from '../../shared/utilities/clock.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import { readPoolIdentity, withDatabasePool } from './connections.ts'
import {
  type CheckResult,
  createProblem,
  createWarning,
  type Finding,
  runChecks,
  toFindings,
} from './findings.ts'
import { checkLoads } from './load.ts'

const PROCESS_NAMES: Record<QueueName, string> = {
  writes: 'worker',
  upkeep: 'worker',
  imports: 'files',
  exports: 'files',
}
/** If the oldest job of a queue waits for longer than this, the doctor asks for another process. */
const JOB_WAIT_MS_MAX: Record<QueueName, number> = {
  writes: 1_000,
  upkeep: 60_000,
  imports: 60_000,
  exports: 60_000,
}
const CONNECT_WAIT_MS_MAX = 5_000

export async function checkQueues(config: Config): Promise<Finding[]> {
  // If the database's identity cannot be read, other findings say why.
  const identity = await withDatabasePool(config.databaseUrl, readPoolIdentity).catch(() => undefined)
  if (!identity) {
    const says =
      'could not be looked at: the database does not say which one it is, and their keys are named after it'
    return toFindings('queues', createWarning(says, 'Fix Postgres and its migrations first.'))
  }
  const redis = new RedisConnections(config, 'fail-fast', createLog('doctor', 'silent'))
  try {
    for (const part of REDIS_PARTS) redis.get(part)
    await withTimeout(redis.ready(), CONNECT_WAIT_MS_MAX, () => undefined)
    const processes = await listProcesses(redis.get('shared'), config.redisPrefix)
    const own = formatIdentity(identity)
    const members = processes.filter(({ database }) => isSameDatabase(database, own))
    const foreignMembers = processes.filter((member) => !members.includes(member))
    const keys = { prefix: config.redisPrefix, database: identity.id }
    const queues = new Queues(redis, keys)
    const loads = await readLoads(redis.get('shared'), config.redisPrefix, members).catch(() => [])
    const findings = await runChecks({
      processes: () => checkProcesses(members, foreignMembers),
      'clocks of processes': async () => checkClocks(await findWrongClock(redis.get('shared'), keys)),
      ...checkLoads(loads),
      ...Object.fromEntries(QUEUES.map((name) => [`queue ${name}`, () => checkQueue(queues, name, members)])),
    })
    await queues.close()
    return findings
  } finally {
    redis.disconnect()
  }
}

function checkProcesses(members: HeartbeatMember[], foreignMembers: HeartbeatMember[]): CheckResult {
  if (foreignMembers.length === 0) return `${members.length} are there, all with this database`
  const names = foreignMembers.map(({ host, pid }) => `${pid} on ${host}`).join(', ')
  return createProblem(
    `processes of another database use this Redis with the same prefix: ${names}`,
    'Set the same DATABASE_URL for all, or a separate REDIS_PREFIX for each database.',
  )
}

/** Reports clocks that differ, as /readyz does. */
function checkClocks(aheadMs: number | undefined): CheckResult {
  if (aheadMs === undefined) return 'no worker reports a wrong clock'
  return createProblem(describeClock('a worker’s', aheadMs), 'Let all machines follow NTP.')
}

async function checkQueue(queues: Queues, name: QueueName, members: HeartbeatMember[]): Promise<CheckResult> {
  const queue = queues.get(name)
  const [counts, waitMs] = await Promise.all([
    queue.getJobCounts('waiting', 'active'),
    findOldestJobWaitMs(queue),
  ])
  const { waiting = 0, active = 0 } = counts
  const workers = members.filter((member) => member.queues.includes(name)).length
  const says = `${workers} workers, ${waiting} jobs waiting, ${active} in progress`
  if (workers === 0)
    return createProblem(
      `no worker is running: ${says}`,
      `Start the line “${PROCESS_NAMES[name]}” of the Procfile.`,
    )
  if (waitMs > JOB_WAIT_MS_MAX[name])
    return createWarning(
      `${says}, the oldest for ${Math.round(waitMs / 1_000)} s`,
      `Start another “${PROCESS_NAMES[name]}”.`,
    )
  return says
}
