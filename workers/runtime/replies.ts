// Messages to the waiting gateway. A message may be lost; the receipt holds the same outcome.
import type { Redis } from 'ioredis'
import type { Envelope, Outcome, ReplyMessage } from '../../shared/jobs/jobs.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import type { Log } from '../../shared/utilities/log.ts'

// Redis buffers what its subscribers have not read yet, and disconnects those whose buffer grows too large.
const PUBLISHED_LENGTH_MAX = 256 * 1024

type Answered = { envelope: Envelope; outcome: Outcome }

/** One message per channel: all attempts of a batch share a channel. */
export async function reply(redis: Redis, answered: Answered[], log: Log): Promise<void> {
  const channels = new Map<string | null, ReplyMessage[]>()
  let length = 0
  for (const { envelope, outcome } of answered) {
    const { attempt, replyTo } = envelope
    length += outcome.body?.length ?? 0
    const message =
      length > PUBLISHED_LENGTH_MAX ? { attempt, isStored: true as const } : { attempt, outcome }
    channels.set(replyTo, [...(channels.get(replyTo) ?? []), message])
  }
  await Promise.all([...channels].map(([channel, messages]) => publish(redis, channel, messages, log)))
}

export function sendProgress(redis: Redis, { attempt, replyTo }: Envelope, progress: Progress, log: Log) {
  return publish(redis, replyTo, [{ attempt, progress }], log)
}

/** Nothing is done or stored, so the attempt may be called off at once. */
export function decline(redis: Redis, { attempt, replyTo }: Envelope, log: Log) {
  return publish(redis, replyTo, [{ attempt, isDeclined: true }], log)
}

async function publish(redis: Redis, channel: string | null, messages: ReplyMessage[], log: Log) {
  if (!channel) return
  try {
    await redis.spublish(channel, JSON.stringify(messages))
  } catch (error) {
    log.warn({ err: error }, 'the reply could not be sent; the receipt has it')
  }
}
