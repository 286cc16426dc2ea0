// Describes in sentences how healthy the queues are, with the worst finding first: how many jobs wait and for
// how long, the workers, how many jobs ended, and which failed and why.
import type { Job, Queue } from 'bullmq'
import { findOldestJobWaitMs } from '../../../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../../../shared/schemas/job.ts'
import { withTimeout } from '../../../../shared/utilities/timeouts.ts'
import { checkReadiness, type Readiness } from '../../../server/http/health.ts'
import type { Services } from '../../../server/services/services.ts'
import { plural, t, translate } from '../../locales/translate.ts'
import { MIGRATIONS_PENDING, REDIS_DOWN } from '../../pages/page/system-status.ts'
import { createCacheFor } from '../../pages/page/ttl-cache.ts'
import { formatDuration } from '../../pages/time/instants.ts'
import { describeFailureReason, findFailureSource, maskJobName } from './masks.ts'

type FindingTone = 'good' | 'warn' | 'bad'
export type HealthFinding = { tone: FindingTone; sentence: string }
type QueueHealth = { queues: QueueRow[] | undefined; ready: Readiness; findings: HealthFinding[] }

const CACHE_MS = 1_000

// How long jobs may wait before this counts as a problem. Callers wait for writes, while imports run one
// after the other and may take minutes each.
const WAIT_MS_MAX: Record<QueueName, number> = {
  writes: 2_000,
  imports: 600_000,
  exports: 120_000,
  upkeep: 120_000,
}

const findStates = createCacheFor(CACHE_MS, async (services: Services) => {
  const [queues, ready] = await Promise.all([findQueues(services), checkReadiness(services)])
  return { queues, ready }
})

// Finds the health of the queues. The sentences are not cached, because the next viewer may use another language.
export async function findHealth(services: Services): Promise<QueueHealth> {
  const { queues, ready } = await findStates(services)
  return { queues, ready, findings: assessHealth(queues, ready) }
}

/** Returns at least one finding, with the worst first. */
function assessHealth(queues: QueueRow[] | undefined, { migrations }: Readiness): HealthFinding[] {
  const noRedis = () =>
    `${translate(REDIS_DOWN)} ${t`Accepted imports and exports continue once it is back.`}`
  const found = [
    ...(migrations.ok ? [] : [createBadFinding(translate(MIGRATIONS_PENDING))]),
    ...(queues?.flatMap(assessQueue) ?? [createBadFinding(noRedis())]),
  ]
  if (found.length > 0) return found.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))
  const normal = t`All systems normal: no job has been waiting long, and no failed jobs remain from the last hour.`
  return [{ tone: 'good', sentence: normal }]
}

const createBadFinding = (sentence: string): HealthFinding => ({ tone: 'bad', sentence })

function assessQueue({ name, isPaused, counts, oldestWaitMs, lastHour, workers }: QueueRow): HealthFinding[] {
  const waiting =
    counts.waiting === 0 ? '' : ` ${plural(counts.waiting, 'One job is waiting.', '# jobs are waiting.')}`
  const found: HealthFinding[] = []
  if (isPaused) {
    found.push(
      createBadFinding(t`The “${name}” queue is paused. Its jobs wait until someone resumes it.` + waiting),
    )
  } else if (workers.length === 0) {
    found.push(createBadFinding(t`No worker is running for the “${name}” queue.` + waiting))
  } else if (oldestWaitMs > WAIT_MS_MAX[name]) {
    const oldest = t`The oldest job in the “${name}” queue has been waiting for ${formatDuration(oldestWaitMs)}.`
    found.push(createBadFinding(oldest + waiting))
  }
  if (lastHour.failed > 0) {
    const sentence = plural(
      lastHour.failed,
      'One job in the “{0}” queue failed in the last hour.',
      '# jobs in the “{0}” queue failed in the last hour.',
      name,
    )
    found.push({ tone: 'warn', sentence })
  }
  return found
}

export type QueueRow = Awaited<ReturnType<typeof findQueue>>
export type WorkerRow = QueueRow['workers'][number]
export type FailureRow = ReturnType<typeof describeFailure> & { number: number }

type QueueMetrics = {
  meta: { count: number; prevTS: number; prevCount: number }
  data: Array<number | string>
}

const RECENT_JOBS_MAX = 50
const REDIS_TIMEOUT_MS = 1_500
const MINUTE_MS = 60_000
const HOUR_MINUTES = 60

/** Reads the queues. Returns undefined if Redis does not answer in time. */
const findQueues = createCacheFor(CACHE_MS, async (services: Services): Promise<QueueRow[] | undefined> => {
  if (!services.queues.isUp()) return undefined
  const rows: Promise<QueueRow[] | undefined> = Promise.all(
    QUEUES.map((name) => findQueue(name, services.queues.queue(name))),
  )
  try {
    return await withTimeout(rows, REDIS_TIMEOUT_MS, () => undefined)
  } catch (error) {
    services.log.warn({ err: error }, 'the queues could not be read')
    return undefined
  }
})

async function findQueue(name: QueueName, queue: Queue) {
  const nowMs = Date.now()
  const [counts, isPaused, oldest, recent, failed, completions, failures, workers] = await Promise.all([
    queue.getJobCounts('waiting', 'active', 'failed'),
    queue.isPaused(),
    findOldestJobWaitMs(queue),
    queue.getJobs(['completed'], 0, RECENT_JOBS_MAX - 1),
    queue.getJobs(['failed'], 0, RECENT_JOBS_MAX - 1),
    queue.getMetrics('completed'),
    queue.getMetrics('failed'),
    queue.getWorkers(),
  ])
  const failuresLeft = countListedFailures(failed, nowMs, () =>
    Math.min(countJobsOfLastHour(failures, nowMs), counts.failed ?? 0),
  )
  return {
    name,
    isPaused,
    counts: { waiting: counts.waiting ?? 0, active: counts.active ?? 0, failed: counts.failed ?? 0 },
    oldestWaitMs: oldest,
    /** The median wait of recent jobs; undefined if there are none. */
    medianWaitMs: computeMedianWait(recent),
    /** `failed` counts only jobs that are still listed. Removed jobs, and jobs that a retry completed, do not count. */
    lastHour: { completed: countJobsOfLastHour(completions, nowMs), failed: failuresLeft },
    workers: listWorkers(name, workers),
    failures: groupFailures(name, failed),
  }
}

// Counts the failed jobs that are still listed. BullMQ's own counter includes other jobs, and would
// contradict the list. The count is accurate enough if there are more failed jobs than were read.
function countListedFailures(read: Array<Job | undefined>, nowMs: number, countMax: () => number): number {
  const sinceMs = nowMs - HOUR_MINUTES * MINUTE_MS
  const left = read.filter((job) => (job?.finishedOn ?? 0) > sinceMs).length
  return left < RECENT_JOBS_MAX ? left : Math.max(left, countMax())
}

/** Counts the jobs of the last hour. BullMQ counts jobs per minute, and stores the count of a minute when the
 * first job after that minute ends. */
export function countJobsOfLastHour({ meta, data }: QueueMetrics, nowMs: number): number {
  const counted = Math.floor(Number(meta.prevTS) / MINUTE_MS)
  const first = Math.floor(nowMs / MINUTE_MS) - HOUR_MINUTES + 1
  const since = counted >= first ? Number(meta.count) - Number(meta.prevCount) : 0
  const minutes = data.filter((_number, index) => counted - 1 - index >= first)
  return minutes.reduce<number>((total, number) => total + Number(number), since)
}

// Returns the median wait, without the delay of scheduled jobs. `job.delay` is zero once a job is due, so the delay is
// read from the options.
function computeMedianWait(jobs: Array<Job | undefined>): number | undefined {
  const waits = jobs
    .flatMap((job) => (job?.processedOn ? [job.processedOn - job.timestamp - (job.opts.delay ?? 0)] : []))
    .map((waitMs) => Math.max(0, waitMs))
    .sort((a, b) => a - b)
  return waits[Math.floor(waits.length / 2)]
}

// Lists the workers of a queue. Managed Redis services may not list the clients; BullMQ then returns one worker without
// an address.
function listWorkers(queue: QueueName, clients: Array<Record<string, string>>) {
  return clients
    .filter(({ addr }) => addr !== undefined)
    .map((client) => ({
      queue,
      name: (client.rawname ?? client.name ?? '').split(':w:')[1] ?? queue,
      address: client.addr ?? '',
      connectedSeconds: Number(client.age ?? 0),
    }))
    .sort((a, b) => b.connectedSeconds - a.connectedSeconds)
}

// Groups failed jobs by reason. A job is undefined if its data was deleted during the read.
function groupFailures(queue: QueueName, jobs: Array<Job | undefined>): FailureRow[] {
  const rows = new Map<string, FailureRow>()
  for (const job of jobs) {
    if (!job) continue
    const row = describeFailure(queue, job)
    const key = JSON.stringify([row.job, row.reason, row.source])
    const known = rows.get(key)
    const latest = known && known.lastMs >= row.lastMs ? known : row
    rows.set(key, { ...latest, number: (known?.number ?? 0) + 1 })
  }
  return [...rows.values()]
}

/** Describes a failure. `id` is the id of the latest job with this failure. */
function describeFailure(queue: QueueName, { id, name, failedReason = '', finishedOn, timestamp }: Job) {
  const [reason, source] = [describeFailureReason(failedReason), findFailureSource(failedReason)]
  return { queue, job: maskJobName(name), reason, source, lastMs: finishedOn ?? timestamp, id: String(id) }
}
