// The reply channel. Each gateway process subscribes to its own Redis channel, on which workers publish outcomes after
// their commit. A message may be lost, so callers also check the receipt.
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { getReplyChannel } from '../../shared/identity/keys.ts'
import type { Outcome, RefusedOutcome, ReplyMessage } from '../../shared/jobs/jobs.ts'
import { literalMessage } from '../../shared/messages/message.ts'
import { type FieldErrors, Refusal } from '../../shared/messages/refusal.ts'
import { findRefusalKind } from '../../shared/messages/refusal-kinds.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import { parseJsonText } from '../../shared/utilities/json-text.ts'
import type { Log } from '../../shared/utilities/log.ts'

export type OnProgress = (progress: Progress) => void

export class PendingReply<Reply> {
  outcome: Outcome<Reply> | undefined
  /** Set when the outcome is stored, so that the receipt should be read. */
  isStored = false
  /** Set when no worker will run the attempt. */
  isDeclined = false
  /** Ends the wait early. */
  wake: () => void = () => undefined
  readonly onProgress: OnProgress | undefined

  constructor(onProgress: OnProgress | undefined) {
    this.onProgress = onProgress
  }

  /** Returns the outcome if it arrives in time, and undefined when it is time to read the receipt. */
  until(timeMs: number): Promise<Outcome<Reply> | undefined> {
    if (this.outcome || this.isStored) {
      this.isStored = false
      return Promise.resolve(this.outcome)
    }
    return new Promise((resolve) => {
      this.wake = () => {
        clearTimeout(timer)
        this.isStored = false
        resolve(this.outcome)
      }
      const timer = setTimeout(this.wake, Math.max(0, timeMs - Date.now()))
    })
  }
}

export class Replies {
  readonly channel: string
  readonly #waiters = new Map<string, PendingReply<unknown>>()
  readonly #redis: Redis
  /**
   * Whether the channel is open, so that replies arrive at once. While it is closed, outcomes are found by reading
   * receipts.
   */
  isOpen = false
  isClosed = false

  constructor(redis: Redis, prefix: string, log: Log) {
    this.channel = getReplyChannel(prefix, randomUUID())
    this.#redis = redis
    redis.on('smessage', (_channel: string, text: string) => this.#receive(text, log))
    // Makes every waiting attempt look at its receipt, because replies published while the channel was closed are lost.
    redis.on('ready', () => this.#subscribe(log))
    redis.on('close', () => {
      this.isOpen = false
    })
  }

  /** Waits for the reply to an attempt. `Reply` is the reply type of the attempt's job. */
  expect<Reply>(attempt: string, onProgress?: OnProgress): PendingReply<Reply> {
    const waiter = new PendingReply<Reply>(onProgress)
    this.#waiters.set(attempt, waiter)
    return waiter
  }

  forget(attempt: string) {
    this.#waiters.delete(attempt)
  }

  close() {
    this.isClosed = true
    for (const waiter of this.#waiters.values()) waiter.wake()
    this.#redis.disconnect()
  }

  async #subscribe(log: Log) {
    try {
      await this.#redis.ssubscribe(this.channel)
      this.isOpen = true
      for (const waiter of this.#waiters.values()) waiter.wake()
    } catch (error) {
      log.warn({ err: error }, 'could not subscribe to the reply channel; receipts are read instead')
    }
  }

  #receive(text: string, log: Log) {
    try {
      for (const message of JSON.parse(text) as ReplyMessage[]) this.#tell(message)
    } catch (error) {
      log.warn({ err: error }, 'an unreadable reply was dropped')
    }
  }

  #tell(message: ReplyMessage) {
    const waiter = this.#waiters.get(message.attempt)
    if (!waiter) return
    if ('progress' in message) return waiter.onProgress?.(message.progress)
    if ('isStored' in message) waiter.isStored = true
    else if ('isDeclined' in message) waiter.isDeclined = true
    else waiter.outcome = message.outcome
    waiter.wake()
  }
}

export function requireReply<Reply>(outcome: Outcome<Reply>): Reply {
  if (outcome.refused) throw toRefusal(outcome)
  return parseJsonText(outcome.body)
}

export function toRefusal({ refused, status, body, messages }: RefusedOutcome): Refusal {
  const { detail, errors, ...members } = parseJsonText(body)
  const kind = findRefusalKind(refused) ?? { status, title: members.title }
  // Older releases stored only the English sentences of a refusal.
  const stored = { detail: literalMessage(detail), errors: errors && toLiteralErrors(errors) }
  return new Refusal(refused, (messages ?? stored).detail, {
    errors: (messages ?? stored).errors,
    members,
    kind,
  })
}

const toLiteralErrors = (errors: Record<string, string[]>): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([path, each]) => [path, each.map(literalMessage)]))
