// Checks which processes consume the queues, and whether jobs wait in a queue without a worker.
import { findWrongClock, listProcesses, type Member } from '../../shared/identity/heartbeat.ts'
import { formatIdentity, isSameDatabase } from '../../shared/identity/identity.ts'
import { REDIS_PARTS } from '../../shared/identity/keys.ts'
import { RedisConnections } from '../../shared/redis/connections.ts'
import { oldestWaitMs, Queues } from '../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import type { Config } from '../../shared/settings/config.ts'
import { describeClock } from '../../shared/utilities/clock.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import { identityOf, withPool } from './connections.ts'
import { examine, type Finding, problem, toFinding, type Verdict, warning } from './findings.ts'

const PROCESSES: Record<QueueName, string> = {
  writes: 'worker',
  upkeep: 'worker',
  imports: 'files',
  exports: 'files',
}
const WAIT_MS_MAX = 1_000
const CONNECTED_MS_MAX = 5_000

export async function checkQueues(config: Config): Promise<Finding[]> {
  // If there is none, other findings say why.
  const identity = await withPool(config.databaseUrl, identityOf).catch(() => undefined)
  if (!identity) {
    const says =
      'could not be looked at: the database does not say which one it is, and their keys are named after it'
    return toFinding('queues', warning(says, 'See to Postgres and its migrations first.'))
  }
  const redis = new RedisConnections(config, 'fail-fast', createLog('doctor', 'silent'))
  try {
    for (const part of REDIS_PARTS) redis.get(part)
    await withTimeout(redis.ready(), CONNECTED_MS_MAX, () => undefined)
    const processes = await listProcesses(redis.get('shared'), config.redisPrefix)
    const own = formatIdentity(identity)
    const members = processes.filter(({ database }) => isSameDatabase(database, own))
    const foreignMembers = processes.filter((member) => !members.includes(member))
    const keys = { prefix: config.redisPrefix, database: identity.id }
    const queues = new Queues(redis, keys)
    const findings = await examine({
      processes: () => judgeProcesses(members, foreignMembers),
      'clocks of processes': async () => judgeClocks(await findWrongClock(redis.get('shared'), keys)),
      ...Object.fromEntries(QUEUES.map((name) => [`queue ${name}`, () => checkQueue(queues, name, members)])),
    })
    await queues.close()
    return findings
  } finally {
    redis.disconnect()
  }
}

function judgeProcesses(members: Member[], foreignMembers: Member[]): Verdict {
  if (foreignMembers.length === 0) return `${members.length} are there, all with this database`
  const names = foreignMembers.map(({ host, pid }) => `${pid} on ${host}`).join(', ')
  return problem(
    `those with another database use this Redis under the same prefix: ${names}`,
    'Set DATABASE_URL to the same one, or REDIS_PREFIX to a name of its own for each.',
  )
}

/** As /readyz reports it. */
function judgeClocks(aheadMs: number | undefined): Verdict {
  if (aheadMs === undefined) return 'no worker says that its clock is off'
  return problem(describeClock('a worker’s', aheadMs), 'Let all machines follow NTP.')
}

async function checkQueue(queues: Queues, name: QueueName, members: Member[]): Promise<Verdict> {
  const queue = queues.get(name)
  const [counts, waitMs] = await Promise.all([queue.getJobCounts('waiting', 'active'), oldestWaitMs(queue)])
  const { waiting = 0, active = 0 } = counts
  const workers = members.filter((member) => member.queues.includes(name)).length
  const says = `${workers} workers, ${waiting} jobs waiting, ${active} under way`
  if (workers === 0)
    return problem(`nobody works: ${says}`, `Start the line “${PROCESSES[name]}” of the Procfile.`)
  if (name === 'writes' && waitMs > WAIT_MS_MAX)
    return warning(`${says}, the oldest for ${Math.round(waitMs / 1_000)} s`, 'Start more of “worker”.')
  return says
}
