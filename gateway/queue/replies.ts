// The reply channel: each gateway process has one Redis channel, on which workers publish outcomes after
// their commit. A message may be lost, so callers look at the receipt too.
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { replyChannel } from '../../shared/identity/keys.ts'
import type { Outcome, RefusedOutcome, ReplyMessage } from '../../shared/jobs/jobs.ts'
import { literal } from '../../shared/messages/message.ts'
import { type FieldErrors, Refusal } from '../../shared/messages/refusal.ts'
import { findRefusalKind } from '../../shared/messages/refusal-kinds.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import { parseJsonText } from '../../shared/utilities/json-text.ts'
import type { Log } from '../../shared/utilities/log.ts'

export type OnProgress = (progress: Progress) => void

export class PendingReply<Reply> {
  outcome: Outcome<Reply> | undefined
  /** Called once, when the receipt should be read. */
  isStored = false
  /** No worker will run the attempt. */
  isDeclined = false
  /** Stops waiting early. */
  wake: () => void = () => undefined
  readonly onProgress: OnProgress | undefined

  constructor(onProgress: OnProgress | undefined) {
    this.onProgress = onProgress
  }

  /** The outcome if it comes by then; undefined when it is time to look at the receipt. */
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
  /** Replies arrive at once; while the channel is closed, outcomes are found by reading receipts. */
  isOpen = false
  isClosed = false

  constructor(redis: Redis, prefix: string, log: Log) {
    this.channel = replyChannel(prefix, randomUUID())
    this.#redis = redis
    redis.on('smessage', (_channel: string, text: string) => this.#receive(text, log))
    // Replies published while the channel was closed are lost, so every waiting attempt looks at its receipt.
    redis.on('ready', () => this.#subscribe(log))
    redis.on('close', () => {
      this.isOpen = false
    })
  }

  /** `Reply` is the reply type of the attempt's job: any outcome for this attempt has it. */
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

export function replyOf<Reply>(outcome: Outcome<Reply>): Reply {
  if (outcome.refused) throw refusalFromOutcome(outcome)
  return parseJsonText(outcome.body)
}

export function refusalFromOutcome({ refused, status, body, messages }: RefusedOutcome): Refusal {
  const { detail, errors, ...members } = parseJsonText(body)
  const kind = findRefusalKind(refused) ?? { status, title: members.title }
  // An older release has stored only the English sentences.
  const stored = { detail: literal(detail), errors: errors && literalErrors(errors) }
  return new Refusal(refused, (messages ?? stored).detail, {
    errors: (messages ?? stored).errors,
    members,
    kind,
  })
}

const literalErrors = (errors: Record<string, string[]>): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([path, each]) => [path, each.map(literal)]))
