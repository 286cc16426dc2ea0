// Finished jobs in Redis: what they say of people is forgotten when nobody can need it any more. BullMQ removes an old job
// only when another one ends, so that in a quiet queue it would stay for good.
import type { Job, Queue } from 'bullmq'

const HOUR_MS = 3_600_000
// After its deadline no worker does an accepted job any more, however often it is tried again.
const ACCEPTED_KEPT_MS = 24 * HOUR_MS
const FAILED_KEPT_MS = 7 * 24 * HOUR_MS
const BATCH = 1_000

type Data = { accepted?: unknown; attempt?: unknown; requestId?: unknown; isForgotten?: unknown }

export async function redactFinishedJobs(queue: Queue): Promise<void> {
  await queue.clean(HOUR_MS, BATCH, 'completed')
  await queue.clean(FAILED_KEPT_MS, BATCH, 'failed')
  const failed = await queue.getJobs(['failed'], 0, BATCH - 1)
  for (const job of failed) {
    // One that was removed while they were read is undefined.
    const data = job?.data as Data | undefined
    if (!data || data.isForgotten === true) continue
    const keptMs = data.accepted === true ? ACCEPTED_KEPT_MS : HOUR_MS
    // That it failed, and why, stays for whoever looks at the queues.
    if ((job.finishedOn ?? 0) <= Date.now() - keptMs) await forgetJob(job)
  }
}

export async function forgetJob(job: Job): Promise<void> {
  const { attempt, requestId } = job.data as Data
  await job.updateData({ attempt, requestId, isForgotten: true })
}

/** Whoever tries such a job again finds nothing to do. */
export function isForgotten(data: unknown): boolean {
  return (data as Data | null | undefined)?.isForgotten === true
}
