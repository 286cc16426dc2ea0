// The reply channel: each gateway process has one Redis channel, on which workers publish outcomes after
// their commit. A message may be lost, so callers look at the receipt too.
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { replyChannel } from '../../shared/identity/keys.ts'
import type { Outcome, ReplyMessage } from '../../shared/jobs/jobs.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import type { Log } from '../../shared/utilities/log.ts'

export type PendingReply<Reply> = {
  /** The outcome if it comes by then; undefined when it is time to look at the receipt. */
  until(timeMs: number): Promise<Outcome<Reply> | undefined>
  /** No worker will run the attempt. */
  readonly isDeclined: boolean
  /** Stops waiting early. */
  wake(): void
  end(): void
}

export type OnProgress = (progress: Progress) => void

type Waiter<Reply> = {
  outcome?: Outcome<Reply>
  /** It is time to look at the receipt, once. */
  isStored?: boolean
  isDeclined?: boolean
  wake: () => void
  onProgress?: OnProgress | undefined
}

export class Replies {
  readonly channel: string
  readonly #waiters = new Map<string, Waiter<unknown>>()
  readonly #redis: Redis
  #closed = false
  #isOpen = false

  constructor(redis: Redis, prefix: string, log: Log) {
    this.channel = replyChannel(prefix, randomUUID())
    this.#redis = redis
    redis.on('smessage', (_channel: string, text: string) => this.#receive(text, log))
    // Replies published while the channel was closed are lost, so every waiting attempt looks at its receipt.
    redis.on('ready', () => this.#subscribe(log))
    redis.on('close', () => {
      this.#isOpen = false
    })
  }

  /** `Reply` is the reply type of the attempt's job: any outcome for this attempt has it. */
  expect<Reply>(attempt: string, onProgress?: OnProgress): PendingReply<Reply> {
    const waiter: Waiter<Reply> = { wake: () => undefined, onProgress }
    this.#waiters.set(attempt, waiter)
    return {
      until: (timeMs) => waitFor(waiter, timeMs),
      get isDeclined() {
        return waiter.isDeclined === true
      },
      wake: () => waiter.wake(),
      end: () => this.#waiters.delete(attempt),
    }
  }

  /** Replies arrive at once; while the channel is closed, outcomes are found by reading receipts. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Called when the process stops: ends all waiting. */
  close() {
    this.#closed = true
    for (const waiter of this.#waiters.values()) waiter.wake()
    this.#redis.disconnect()
  }

  async #subscribe(log: Log) {
    try {
      await this.#redis.ssubscribe(this.channel)
      this.#isOpen = true
      for (const waiter of this.#waiters.values()) waiter.wake()
    } catch (error) {
      log.warn({ err: error }, 'could not subscribe to the reply channel; receipts are read instead')
    }
  }

  #receive(text: string, log: Log) {
    try {
      const messages: ReplyMessage[] = JSON.parse(text)
      for (const message of messages) this.#tell(message)
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

function waitFor<Reply>(waiter: Waiter<Reply>, timeMs: number): Promise<Outcome<Reply> | undefined> {
  if (waiter.outcome || waiter.isStored) {
    waiter.isStored = false
    return Promise.resolve(waiter.outcome)
  }
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      waiter.isStored = false
      resolve(waiter.outcome)
    }
    const timer = setTimeout(done, Math.max(0, timeMs - Date.now()))
    waiter.wake = done
  })
}
