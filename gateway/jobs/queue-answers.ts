// What the answers of a queue mean, and those that do not come.
import type { Queue } from 'bullmq'
import { NextRuns } from '../../shared/utilities/next-runs.ts'

// All attempts of a batch ask of the same job, and at the same moment.
const looks = new NextRuns<boolean>()

export function isMissing(queue: Queue, jobId: string): Promise<boolean> {
  return looks.ask(jobId, async () => (await queue.getJobState(jobId).catch(() => undefined)) === 'unknown')
}

/** Refused by ioredis before it left, or by Redis itself; all else may have arrived. */
export function wasNeverSent(error: unknown): boolean {
  const { name, message } = error as Error
  return name === 'ReplyError' || message.startsWith("Stream isn't writeable")
}
