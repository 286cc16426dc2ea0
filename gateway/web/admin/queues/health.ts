// Whether the queues are healthy, in sentences, the worst first: how many jobs wait and for how long, the workers, how
// many jobs ended, and which failed and why.
import type { Job, Queue } from 'bullmq'
import { oldestWaitMs } from '../../../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../../../shared/schemas/job.ts'
import { withTimeout } from '../../../../shared/utilities/timeouts.ts'
import { type Readiness, readiness } from '../../../server/http/health.ts'
import type { Services } from '../../../server/services/services.ts'
import { plural, t, translate } from '../../locales/translate.ts'
import { MIGRATIONS_PENDING, REDIS_DOWN } from '../../pages/page/system-status.ts'
import { cacheFor } from '../../pages/page/ttl-cache.ts'
import { formatDuration } from '../../pages/time/instants.ts'
import { maskJobName, reasonOf, sourceOf } from './masks.ts'

type Tone = 'good' | 'warn' | 'bad'
export type Finding = { tone: Tone; sentence: string }
type Health = { queues: QueueRow[] | undefined; ready: Readiness; findings: Finding[] }

const CACHED_MS = 1_000

// Callers wait for writes. Imports run one after the other and may take minutes each.
const WAIT_MS_MAX: Record<QueueName, number> = {
  writes: 2_000,
  imports: 600_000,
  exports: 120_000,
  upkeep: 120_000,
}

const findStates = cacheFor(CACHED_MS, async (services: Services) => {
  const [queues, ready] = await Promise.all([findQueues(services), readiness(services)])
  return { queues, ready }
})

// The sentences are not cached, because the next viewer may use another language.
export async function findHealth(services: Services): Promise<Health> {
  const { queues, ready } = await findStates(services)
  return { queues, ready, findings: assess(queues, ready) }
}

/** At least one finding, the worst first. */
function assess(queues: QueueRow[] | undefined, { migrations }: Readiness): Finding[] {
  const noRedis = () =>
    `${translate(REDIS_DOWN)} ${t`Accepted imports and exports continue once it is back.`}`
  const found = [
    ...(migrations.ok ? [] : [bad(translate(MIGRATIONS_PENDING))]),
    ...(queues?.flatMap(assessQueue) ?? [bad(noRedis())]),
  ]
  if (found.length > 0) return found.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))
  const normal = t`All systems normal: no job has been waiting long, and no failed jobs remain from the last hour.`
  return [{ tone: 'good', sentence: normal }]
}

const bad = (sentence: string): Finding => ({ tone: 'bad', sentence })

function assessQueue({ name, isPaused, counts, oldestWaitMs, lastHour, workers }: QueueRow): Finding[] {
  const waiting =
    counts.waiting === 0 ? '' : ` ${plural(counts.waiting, 'One job is waiting.', '# jobs are waiting.')}`
  const found: Finding[] = []
  if (isPaused) {
    found.push(bad(t`The “${name}” queue is paused. Its jobs wait until someone resumes it.` + waiting))
  } else if (workers.length === 0) {
    found.push(bad(t`No worker is running for the “${name}” queue.` + waiting))
  } else if (oldestWaitMs > WAIT_MS_MAX[name]) {
    const oldest = t`The oldest job in the “${name}” queue has been waiting for ${formatDuration(oldestWaitMs)}.`
    found.push(bad(oldest + waiting))
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
export type FailureRow = ReturnType<typeof failureOf> & { number: number }

type Metrics = { meta: { count: number; prevTS: number; prevCount: number }; data: Array<number | string> }

const RECENT = 50
const TIMEOUT_MS = 1_500
const MINUTE_MS = 60_000
const HOUR_MINUTES = 60

/** Undefined if Redis does not answer in time. */
const findQueues = cacheFor(CACHED_MS, async (services: Services): Promise<QueueRow[] | undefined> => {
  if (!services.queues.isUp()) return undefined
  const rows: Promise<QueueRow[] | undefined> = Promise.all(
    QUEUES.map((name) => findQueue(name, services.queues.queue(name))),
  )
  try {
    return await withTimeout(rows, TIMEOUT_MS, () => undefined)
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
    oldestWaitMs(queue),
    queue.getJobs(['completed'], 0, RECENT - 1),
    queue.getJobs(['failed'], 0, RECENT - 1),
    queue.getMetrics('completed'),
    queue.getMetrics('failed'),
    queue.getWorkers(),
  ])
  const failuresLeft = countFailuresLeft(failed, nowMs, () =>
    Math.min(countLastHour(failures, nowMs), counts.failed ?? 0),
  )
  return {
    name,
    isPaused,
    counts: { waiting: counts.waiting ?? 0, active: counts.active ?? 0, failed: counts.failed ?? 0 },
    oldestWaitMs: oldest,
    /** Undefined if there are no recent jobs. */
    medianWaitMs: medianWait(recent),
    /** `failed` counts only jobs that are still listed: neither removed nor retried with success. */
    lastHour: { completed: countLastHour(completions, nowMs), failed: failuresLeft },
    workers: workersOf(name, workers),
    failures: groupFailures(name, failed),
  }
}

// BullMQ's own counter includes failures that are no longer listed, and would contradict the list. It is
// accurate enough if more failed jobs are left than were read.
function countFailuresLeft(read: Array<Job | undefined>, nowMs: number, countMax: () => number): number {
  const sinceMs = nowMs - HOUR_MINUTES * MINUTE_MS
  const left = read.filter((job) => (job?.finishedOn ?? 0) > sinceMs).length
  return left < RECENT ? left : Math.max(left, countMax())
}

/** BullMQ counts by the minute, and stores a minute when the first job after it ends. */
export function countLastHour({ meta, data }: Metrics, nowMs: number): number {
  const counted = Math.floor(Number(meta.prevTS) / MINUTE_MS)
  const first = Math.floor(nowMs / MINUTE_MS) - HOUR_MINUTES + 1
  const since = counted >= first ? Number(meta.count) - Number(meta.prevCount) : 0
  const minutes = data.filter((_number, index) => counted - 1 - index >= first)
  return minutes.reduce<number>((total, number) => total + Number(number), since)
}

// The delay of a scheduled job is not part of its wait. `job.delay` is zero once the job is due, so the
// options are read.
function medianWait(jobs: Array<Job | undefined>): number | undefined {
  const waits = jobs
    .flatMap((job) => (job?.processedOn ? [job.processedOn - job.timestamp - (job.opts.delay ?? 0)] : []))
    .map((waitMs) => Math.max(0, waitMs))
    .sort((a, b) => a - b)
  return waits[Math.floor(waits.length / 2)]
}

// Managed Redis services may not list the clients. BullMQ then returns one worker without an address.
function workersOf(queue: QueueName, clients: Array<Record<string, string>>) {
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

// A job is undefined if its data was deleted during the read.
function groupFailures(queue: QueueName, jobs: Array<Job | undefined>): FailureRow[] {
  const rows = new Map<string, FailureRow>()
  for (const job of jobs) {
    if (!job) continue
    const row = failureOf(queue, job)
    const key = JSON.stringify([row.job, row.reason, row.source])
    const known = rows.get(key)
    const latest = known && known.lastMs >= row.lastMs ? known : row
    rows.set(key, { ...latest, number: (known?.number ?? 0) + 1 })
  }
  return [...rows.values()]
}

/** `id` is that of the latest job of its kind. */
function failureOf(queue: QueueName, { id, name, failedReason = '', finishedOn, timestamp }: Job) {
  const [reason, source] = [reasonOf(failedReason), sourceOf(failedReason)]
  return { queue, job: maskJobName(name), reason, source, lastMs: finishedOn ?? timestamp, id: String(id) }
}
