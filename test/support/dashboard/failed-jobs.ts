// Creates failed jobs for the queue pages.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import { eventually } from '../time.ts'

/** Adds a job that fails immediately, because its envelope is invalid. Returns its id. */
export async function failJob(queue: Queue, data: unknown = {}, name = 'bookings.create'): Promise<string> {
  const jobId = randomUUID()
  await queue.add(name, data, { jobId })
  await eventually(async () => {
    if ((await queue.getJobState(jobId)) !== 'failed') throw new Error('It has not failed yet')
  })
  return jobId
}
