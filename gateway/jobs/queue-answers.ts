// Interprets the answers of a queue, and its errors.
import type { Queue } from 'bullmq'
import { FreshSingleFlight } from '../../shared/utilities/fresh-single-flight.ts'

// All attempts of a batch ask about the same job at the same moment.
const looks = new FreshSingleFlight<string | undefined>()

export async function isMissing(queue: Queue, jobId: string): Promise<boolean> {
  return (await stateOf(queue, jobId)) === 'unknown'
}

/**
 * No worker has the job, and none will get it. A missing job does not count: Redis has lost it, but a worker
 * may have it.
 */
export async function hasEnded(queue: Queue, jobId: string): Promise<boolean> {
  return ['completed', 'failed'].includes((await stateOf(queue, jobId)) ?? '')
}

function stateOf(queue: Queue, jobId: string): Promise<string | undefined> {
  return looks.ask(jobId, () => queue.getJobState(jobId).catch(() => undefined))
}

/** ioredis refused the command before it left, or Redis itself did; any other command may have arrived. */
export function wasNeverSent(error: unknown): boolean {
  const { name, message } = error as Error
  return name === 'ReplyError' || message.startsWith("Stream isn't writeable")
}
