// Removes what the jobs of a queue contain about an erased person. A job from before the erasure that still needs its
// data keeps it.
import type { Job, JobType, Queue } from 'bullmq'
import { deleteJobData } from '../../runtime/finished-jobs.ts'
import { createPayloadPattern } from './patterns.ts'

export type ErasureSearch = { id: number; userId: number; terms: string[]; until: string; untilMs: number }

const JOBS_AT_ONCE = 100

/** Removes an erased person from the jobs of a queue. Returns true if no unfinished job names the person any more. */
export async function redactQueue(queue: Queue, erasure: ErasureSearch): Promise<boolean> {
  const pattern = createPayloadPattern(erasure)
  const isIn = (value: unknown) => pattern.test(JSON.stringify(value ?? ''))
  for await (const job of readJobs(queue, ['completed'])) if (isIn(job.data)) await job.remove()
  for await (const job of readJobs(queue, ['failed'])) {
    if (isIn([job.failedReason, job.stacktrace])) await job.remove()
    else if (isIn(job.data)) await deleteJobData(job)
  }
  for await (const job of readJobs(queue, ['waiting', 'active', 'delayed', 'prioritized'])) {
    // Only jobs from before the erasure count. Otherwise, later jobs that happen to contain a term would keep
    // the search from ending.
    const isOfThen = job.timestamp <= erasure.untilMs
    // An import may wait for an hour in its queue, and needs its file until then.
    if (isOfThen && (queue.name === 'imports' || isIn(job.data))) return false
  }
  return true
}

// Reads all ids at once, so that no job is missed when its state changes. Then reads the jobs page by page, because
// there may be thousands.
async function* readJobs(queue: Queue, states: JobType[]): AsyncGenerator<Job> {
  const ids = await queue.getRanges(states, 0, -1)
  for (let from = 0; from < ids.length; from += JOBS_AT_ONCE) {
    const jobs = await Promise.all(ids.slice(from, from + JOBS_AT_ONCE).map((id) => queue.getJob(id)))
    // A job that was removed in the meantime is undefined.
    for (const job of jobs) if (job) yield job
  }
}
