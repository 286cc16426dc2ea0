// What the answers of a queue mean, and those that do not come.
import type { Queue } from 'bullmq'

export async function isMissing(queue: Queue, jobId: string): Promise<boolean> {
  const state = await queue.getJobState(jobId).catch(() => undefined)
  return state === 'unknown'
}

/** Refused by ioredis before it left, or by Redis itself; all else may have arrived. */
export function wasNeverSent(error: unknown): boolean {
  const { name, message } = error as Error
  return name === 'ReplyError' || message.startsWith("Stream isn't writeable")
}
