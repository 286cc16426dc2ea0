// Removes what the jobs of a queue say of an erased person, unless a job from then still needs it.
import type { Job, JobType, Queue } from 'bullmq'
import { forgetJob } from '../../runtime/finished-jobs.ts'
import { payloadPattern } from './patterns.ts'

export type Erasure = { id: number; userId: number; terms: string[]; until: string; untilMs: number }

const JOBS_AT_ONCE = 100

/** Returns whether no job that is still to be done names the person. */
export async function redactQueue(queue: Queue, erasure: Erasure): Promise<boolean> {
  const pattern = payloadPattern(erasure)
  const isIn = (value: unknown) => pattern.test(JSON.stringify(value ?? ''))
  for await (const job of readJobs(queue, ['completed'])) if (isIn(job.data)) await job.remove()
  for await (const job of readJobs(queue, ['failed'])) {
    if (isIn([job.failedReason, job.stacktrace])) await job.remove()
    else if (isIn(job.data)) await forgetJob(job)
  }
  for await (const job of readJobs(queue, ['waiting', 'active', 'delayed', 'prioritized'])) {
    // Only jobs from then, or those that contain a term by chance would keep the search open forever.
    const isOfThen = job.timestamp <= erasure.untilMs
    // An import may wait for an hour, and needs its file.
    if (isOfThen && (queue.name === 'imports' || isIn(job.data))) return false
  }
  return true
}

// Thousands of jobs may wait. Reads only the ids at once, to miss no job that changes its state.
async function* readJobs(queue: Queue, states: JobType[]): AsyncGenerator<Job> {
  const ids = await queue.getRanges(states, 0, -1)
  for (let from = 0; from < ids.length; from += JOBS_AT_ONCE) {
    const jobs = await Promise.all(ids.slice(from, from + JOBS_AT_ONCE).map((id) => queue.getJob(id)))
    // Jobs that were removed meanwhile are undefined.
    for (const job of jobs) if (job) yield job
  }
}
