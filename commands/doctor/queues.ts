// Checks which processes consume the queues, and whether jobs wait in a queue without a worker.

import { connectPool } from '../../shared/database/database.ts'
import { listProcesses, type Member } from '../../shared/identity/heartbeat.ts'
import {
  formatIdentity,
  type Identity,
  isSameDatabase,
  readIdentity,
} from '../../shared/identity/identity.ts'
import { REDIS_PARTS } from '../../shared/identity/keys.ts'
import { findWrongClock } from '../../shared/identity/wrong-clock.ts'
import { RedisConnections } from '../../shared/redis/connections.ts'
import { oldestWaitMs, Queues } from '../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import type { Config } from '../../shared/settings/config.ts'
import { describeClock } from '../../shared/utilities/clock.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import { examine, type Finding, ok, problem, warning } from './findings.ts'

const PROCESSES: Record<QueueName, string> = {
  writes: 'worker',
  upkeep: 'worker',
  imports: 'files',
  exports: 'files',
}
const WAIT_MS_MAX = 1_000
const CONNECTED_MS_MAX = 5_000

export async function checkQueues(config: Config): Promise<Finding[]> {
  const { databaseUrl, redisPrefix } = config
  const identity = await findIdentity(databaseUrl)
  if (!identity) {
    return [
      warning(
        'queues',
        'could not be looked at: the database does not say which one it is, and their keys are named after it',
        'See to Postgres and its migrations first.',
      ),
    ]
  }
  const redis = new RedisConnections(config, 'fail-fast', createLog('doctor', 'silent'))
  try {
    for (const part of REDIS_PARTS) redis.get(part)
    await withTimeout(redis.ready(), CONNECTED_MS_MAX, () => undefined)
    const own = formatIdentity(identity)
    const processes = await listProcesses(redis.get('shared'), redisPrefix)
    const members = processes.filter(({ database }) => isSameDatabase(database, own))
    const foreignMembers = processes.filter((member) => !members.includes(member))
    const keys = { prefix: redisPrefix, database: identity.id }
    const queues = new Queues(redis, keys)
    const all = await Promise.all(
      QUEUES.map((name) => examine(`queue ${name}`, () => checkQueue(queues, name, members))),
    )
    const clocks = await examine('clocks of processes', async () =>
      judgeProcessClocks(await findWrongClock(redis.get('shared'), keys)),
    )
    await queues.close()
    return [judgeProcesses(members, foreignMembers), ...clocks, ...all.flat()]
  } finally {
    redis.disconnect()
  }
}

// If there is none, other findings say why.
async function findIdentity(url: string): Promise<Identity | undefined> {
  const pool = connectPool(url, {
    applicationName: 'berth-doctor',
    connectionsMax: 1,
    queryTimeoutMs: 10_000,
  })
  try {
    return await readIdentity(async (sql) => (await pool.query<Record<string, unknown>>(sql)).rows)
  } catch {
    return undefined
  } finally {
    await pool.end()
  }
}

function judgeProcesses(members: Member[], foreignMembers: Member[]): Finding {
  const about = 'processes'
  if (foreignMembers.length === 0) return ok(about, `${members.length} are there, all with this database`)
  const names = foreignMembers.map(({ host, pid }) => `${pid} on ${host}`).join(', ')
  return problem(
    about,
    `those with another database use this Redis under the same prefix: ${names}`,
    'Set DATABASE_URL to the same one, or REDIS_PREFIX to a name of its own for each.',
  )
}

/** As /readyz reports it. */
function judgeProcessClocks(aheadMs: number | undefined): Finding {
  const about = 'clocks of processes'
  if (aheadMs === undefined) return ok(about, 'no worker says that its clock is off')
  return problem(about, describeClock('a worker’s', aheadMs), 'Let all machines follow NTP.')
}

async function checkQueue(queues: Queues, name: QueueName, members: Member[]): Promise<Finding> {
  const queue = queues.get(name)
  const [counts, waitMs] = await Promise.all([queue.getJobCounts('waiting', 'active'), oldestWaitMs(queue)])
  const about = `queue ${name}`
  const { waiting = 0, active = 0 } = counts
  const workers = members.filter((member) => member.queues.includes(name)).length
  const says = `${workers} workers, ${waiting} jobs waiting, ${active} under way`
  if (workers === 0)
    return problem(about, `nobody works: ${says}`, `Start the line “${PROCESSES[name]}” of the Procfile.`)
  if (name === 'writes' && waitMs > WAIT_MS_MAX)
    return warning(
      about,
      `${says}, the oldest for ${Math.round(waitMs / 1_000)} s`,
      'Start more of “worker”.',
    )
  return ok(about, says)
}
