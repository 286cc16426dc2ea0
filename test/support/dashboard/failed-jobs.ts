// Jobs that have failed, for the pages of the queues.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import { eventually } from '../time.ts'

/** A job that fails at once, because it is not as the gateway makes them. Returns its id. */
export async function failJob(queue: Queue, data: unknown = {}, name = 'bookings.create'): Promise<string> {
  const jobId = randomUUID()
  await queue.add(name, data, { jobId })
  await eventually(async () => {
    if ((await queue.getJobState(jobId)) !== 'failed') throw new Error('It has not failed yet')
  })
  return jobId
}
