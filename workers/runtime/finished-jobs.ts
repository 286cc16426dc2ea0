// Removes personal data from finished jobs in Redis once nobody needs it. BullMQ removes an old job only when another
// one ends, so in a quiet queue the data would stay forever.
import type { Job, Queue } from 'bullmq'

const HOUR_MS = 3_600_000
// How long the data of an accepted job is kept. After this deadline no worker runs the job, however often somebody
// retries it.
const ACCEPTED_KEPT_MS = 24 * HOUR_MS
const FAILED_KEPT_MS = 7 * 24 * HOUR_MS
const JOBS_PER_BATCH = 1_000

type JobData = { accepted?: unknown; attempt?: unknown; requestId?: unknown; isForgotten?: unknown }

export async function redactFinishedJobs(queue: Queue): Promise<void> {
  await queue.clean(HOUR_MS, JOBS_PER_BATCH, 'completed')
  await queue.clean(FAILED_KEPT_MS, JOBS_PER_BATCH, 'failed')
  const failed = await queue.getJobs(['failed'], 0, JOBS_PER_BATCH - 1)
  for (const job of failed) {
    // A job that was removed while the list was read is undefined.
    const data = job?.data as JobData | undefined
    if (!data || data.isForgotten === true) continue
    const keptMs = data.accepted === true ? ACCEPTED_KEPT_MS : HOUR_MS
    // Removes only the data of the job. Its failure and the reason stay visible on the pages about queues.
    if ((job.finishedOn ?? 0) <= Date.now() - keptMs) await deleteJobData(job)
  }
}

export async function deleteJobData(job: Job): Promise<void> {
  const { attempt, requestId } = job.data as JobData
  await job.updateData({ attempt, requestId, isForgotten: true })
}

/** Returns whether the data of the job was removed. Retrying such a job does nothing. */
export function hasNoJobData(data: unknown): boolean {
  return (data as JobData | null | undefined)?.isForgotten === true
}
