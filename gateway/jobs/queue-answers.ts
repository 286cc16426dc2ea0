// What the answers of a queue mean, and those that do not come.
import type { Queue } from 'bullmq'
import { FreshSingleFlight } from '../../shared/utilities/fresh-single-flight.ts'

// All attempts of a batch ask of the same job, and at the same moment.
const looks = new FreshSingleFlight<string | undefined>()

export async function isMissing(queue: Queue, jobId: string): Promise<boolean> {
  return (await stateOf(queue, jobId)) === 'unknown'
}

/** No worker has it, and none gets it. A job that is missing may be with a worker: Redis has lost it. */
export async function hasEnded(queue: Queue, jobId: string): Promise<boolean> {
  return ['completed', 'failed'].includes((await stateOf(queue, jobId)) ?? '')
}

function stateOf(queue: Queue, jobId: string): Promise<string | undefined> {
  return looks.ask(jobId, () => queue.getJobState(jobId).catch(() => undefined))
}

/** Refused by ioredis before it left, or by Redis itself; all else may have arrived. */
export function wasNeverSent(error: unknown): boolean {
  const { name, message } = error as Error
  return name === 'ReplyError' || message.startsWith("Stream isn't writeable")
}
