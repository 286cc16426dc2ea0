// Sends messages to waiting gateways. A message may be lost, but the receipt contains the same outcome.
import type { Redis } from 'ioredis'
import type { Envelope, Outcome, ReplyMessage } from '../../shared/jobs/jobs.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import type { Log } from '../../shared/utilities/log.ts'

// The limit on the length of a message. Redis buffers what subscribers have not read yet, and disconnects subscribers
// whose buffer grows too large.
const PUBLISHED_LENGTH_MAX = 256 * 1024

type AnsweredAttempt = { envelope: Envelope; outcome: Outcome }

/** Sends one message to each reply channel. Each gateway has its own channel, and gets only its own replies. */
export async function sendReply(redis: Redis, answered: AnsweredAttempt[], log: Log): Promise<void> {
  const channels = new Map<string | null, { messages: ReplyMessage[]; length: number }>()
  for (const { envelope, outcome } of answered) {
    const { attempt, replyTo } = envelope
    const channel = channels.get(replyTo) ?? { messages: [], length: 0 }
    channel.length += outcome.body?.length ?? 0
    channel.messages.push(
      channel.length > PUBLISHED_LENGTH_MAX ? { attempt, isStored: true } : { attempt, outcome },
    )
    channels.set(replyTo, channel)
  }
  await Promise.all(
    [...channels].map(([channel, { messages }]) => publishMessages(redis, channel, messages, log)),
  )
}

export function sendProgress(redis: Redis, { attempt, replyTo }: Envelope, progress: Progress, log: Log) {
  return publishMessages(redis, replyTo, [{ attempt, progress }], log)
}

/** Tells the caller that nothing was done or stored, so that it can abandon the attempt immediately. */
export function sendDeclined(redis: Redis, { attempt, replyTo }: Envelope, log: Log) {
  return publishMessages(redis, replyTo, [{ attempt, isDeclined: true }], log)
}

async function publishMessages(redis: Redis, channel: string | null, messages: ReplyMessage[], log: Log) {
  if (!channel) return
  try {
    await redis.spublish(channel, JSON.stringify(messages))
  } catch (error) {
    log.warn({ err: error }, 'the reply could not be sent; the receipt has it')
  }
}
