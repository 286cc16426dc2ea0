// Removes personal data from finished jobs in Redis once it is no longer needed. BullMQ removes an old job
// only when another one ends, so in a quiet queue it would stay forever.
import type { Job, Queue } from 'bullmq'

const HOUR_MS = 3_600_000
// After its deadline no worker runs an accepted job, however often it is retried.
const ACCEPTED_KEPT_MS = 24 * HOUR_MS
const FAILED_KEPT_MS = 7 * 24 * HOUR_MS
const BATCH = 1_000

type Data = { accepted?: unknown; attempt?: unknown; requestId?: unknown; isForgotten?: unknown }

export async function redactFinishedJobs(queue: Queue): Promise<void> {
  await queue.clean(HOUR_MS, BATCH, 'completed')
  await queue.clean(FAILED_KEPT_MS, BATCH, 'failed')
  const failed = await queue.getJobs(['failed'], 0, BATCH - 1)
  for (const job of failed) {
    // A job that was removed while the list was read is undefined.
    const data = job?.data as Data | undefined
    if (!data || data.isForgotten === true) continue
    const keptMs = data.accepted === true ? ACCEPTED_KEPT_MS : HOUR_MS
    // The failure and its reason stay visible on the queue pages.
    if ((job.finishedOn ?? 0) <= Date.now() - keptMs) await forgetJob(job)
  }
}

export async function forgetJob(job: Job): Promise<void> {
  const { attempt, requestId } = job.data as Data
  await job.updateData({ attempt, requestId, isForgotten: true })
}

/** Retrying such a job does nothing. */
export function isForgotten(data: unknown): boolean {
  return (data as Data | null | undefined)?.isForgotten === true
}
