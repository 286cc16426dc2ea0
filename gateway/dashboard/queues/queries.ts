// The current state of the queues: how many jobs wait and for how long, the workers, how many jobs ended, and
// which failed and why.
import type { Job, Queue } from 'bullmq'
import type { Message } from '../../../shared/messages/message.ts'
import { oldestWaitMs } from '../../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../../shared/schemas/job.ts'
import { withTimeout } from '../../../shared/utilities/timeouts.ts'
import type { Services } from '../../services/services.ts'
import { cacheFor } from '../kit/ttl-cache.ts'
import { reasonOf, sourceOf } from './board/failures.ts'
import { maskJobName } from './board/masks.ts'

export type WorkerRow = { queue: QueueName; name: string; address: string; connectedSeconds: number }

export type FailureRow = {
  queue: QueueName
  job: string
  reason: Message
  source: string | undefined
  number: number
  lastMs: number
  /** The id of the latest failed job. */
  id: string
}

export type QueueRow = {
  name: QueueName
  isPaused: boolean
  counts: Record<'waiting' | 'active' | 'failed', number>
  oldestWaitMs: number
  /** The median of recent jobs; undefined if there are none. */
  medianWaitMs: number | undefined
  /** `failed` counts only jobs that are still listed: neither removed nor retried with success. */
  lastHour: { completed: number; failed: number }
  workers: WorkerRow[]
  failures: FailureRow[]
}

type Metrics = { meta: { count: number; prevTS: number; prevCount: number }; data: Array<number | string> }

const RECENT = 50
const TIMEOUT_MS = 1_500
const CACHED_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MINUTES = 60

/** Undefined if Redis does not answer in time. */
export const findQueues = cacheFor(CACHED_MS, async (services: Services): Promise<QueueRow[] | undefined> => {
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

async function findQueue(name: QueueName, queue: Queue): Promise<QueueRow> {
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
    medianWaitMs: medianWait(recent),
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
function workersOf(queue: QueueName, clients: Array<Record<string, string>>): WorkerRow[] {
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
    const text = job.failedReason ?? ''
    const row = {
      queue,
      job: maskJobName(job.name),
      reason: reasonOf(text),
      source: sourceOf(text),
      lastMs: job.finishedOn ?? job.timestamp,
      id: String(job.id),
    }
    const key = JSON.stringify([row.job, row.reason, row.source])
    const known = rows.get(key)
    if (!known) rows.set(key, { ...row, number: 1 })
    else rows.set(key, { ...(known.lastMs >= row.lastMs ? known : row), number: known.number + 1 })
  }
  return [...rows.values()]
}
