// What is sent to the gateway that waits. A message may be lost; the receipt has what it said.
import type { Redis } from 'ioredis'
import type { Progress } from '../../shared/contracts/progress.ts'
import type { Envelope, Outcome, ReplyMessage } from '../../shared/jobs.ts'
import type { Log } from '../../shared/log.ts'

// Redis holds what its subscribers have not read yet, and cuts off those for whom that is too much.
const PUBLISHED_LENGTH_MAX = 256 * 1024

type Answered = { envelope: Envelope; outcome: Outcome }

/** In one message for each channel: all attempts of a batch have the same. */
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

/** Nothing is done and nothing is stored: it may be called off at once. */
export function decline(redis: Redis, { attempt, replyTo }: Envelope, log: Log) {
  return publish(redis, replyTo, [{ attempt, isDeclined: true }], log)
}

async function publish(
  redis: Redis,
  channel: string | null,
  messages: ReplyMessage[],
  log: Log,
): Promise<void> {
  if (!channel) return
  try {
    await redis.spublish(channel, JSON.stringify(messages))
  } catch (error) {
    log.warn({ err: error }, 'the reply could not be sent; the receipt has it')
  }
}
