// Queues jobs, and is the only producer. It waits a limited time and returns the one true outcome. If there
// is none in time, it calls the attempt off, so that a write answered with 503 never happens later.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import type pg from 'pg'
import { isDatabaseUnavailable } from '../../shared/database/faults.ts'
import {
  ACCEPTED_WAIT_MS,
  type AcceptedJobName,
  type Envelope,
  type InputOf,
  type JobName,
  jobs,
  type Outcome,
  type ReplyOf,
  weigh,
} from '../../shared/jobs/jobs.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import type { Config } from '../../shared/settings/config.ts'
import type { Ability } from '../../shared/tokens/token-store.ts'
import type { Clock } from '../../shared/utilities/clock.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { type Admission, ownerOf } from '../overload/admission.ts'
import type { Reads } from '../reads/connections/reads.ts'
import { findEnvelope, findStored, storeJob } from './accepted-jobs.ts'
import { Batches, type EnqueuedAttempt, sendJob } from './batches.ts'
import { callOff, isMissing, jobRefuser, notExecuted, outcomeUnknown, wasNeverSent } from './call-off.ts'
import type { QueueMonitor } from './queue-monitor.ts'
import type { Receipts } from './receipts.ts'
import type { OnProgress, PendingReply, Replies } from './replies.ts'

export type Origin = Pick<
  Envelope,
  'actor' | 'buildingIds' | 'userId' | 'requestId' | 'baseUrl' | 'receivedAt' | 'idempotency'
>

export type DispatchOptions = {
  /** The id of the attempt, for callers that look up its changes. */
  attempt?: string
  onProgress?: OnProgress
  /** Aborted when the caller stops waiting; long work that has not begun is then called off. */
  signal?: AbortSignal
}

type Parts = {
  queues: QueueMonitor
  receipts: Receipts
  replies: Replies
  /** Stores accepted jobs. */
  pool: pg.Pool
  reads: Pick<Reads, 'noteWrite'>
  admission: Admission
  clock: Clock
  config: Config
  log: Log
}

// Imports and exports are awaited for as long as they take; this only ends an endless wait.
const LONG_WAIT_MS = 3_600_000

// A lost message does no harm: the receipt is the truth, and is read after these times without a reply.
const POLL_AFTER_MS = [250, 750, 2_000]
const POLL_EVERY_MS = 3_000
// Longer than a job can seem missing because Redis is asked while it restarts.
const MISSING_MS = 1_000

export class Dispatcher {
  readonly #parts: Parts
  readonly #batches = new Batches()
  readonly #refuse: ReturnType<typeof jobRefuser>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#refuse = jobRefuser(parts.log)
  }

  /** From then on, the reads of the same caller show the write. */
  async dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    origin: Origin,
    options: DispatchOptions = {},
  ): Promise<Outcome<ReplyOf<Name>>> {
    const askedMs = performance.now()
    const dispatch = () => this.#dispatch(name, input, origin, { ...options, askedMs })
    const outcome = await (jobs[name].queue === 'writes'
      ? this.#parts.admission.admit(ownerOf(origin.actor), dispatch, weigh(name, input))
      : dispatch())
    await this.#parts.reads.noteWrite(origin.actor)
    return outcome
  }

  async #dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    origin: Origin,
    { attempt, onProgress, signal, askedMs }: DispatchOptions & { askedMs: number },
  ): Promise<Outcome<ReplyOf<Name>>> {
    const { queues, replies, config } = this.#parts
    const { queue: queueName } = jobs[name]
    const waitedMs = performance.now() - askedMs
    const waitMs = queueName === 'writes' ? config.writeWaitMs - waitedMs : LONG_WAIT_MS
    const queue = await queues.requireOpen(queueName, waitMs)
    await this.#parts.clock.compared
    const envelope = this.#envelope(input, origin, waitMs, attempt)
    const waiting = replies.expect<ReplyOf<Name>>(envelope.attempt, onProgress)
    signal?.addEventListener('abort', () => waiting.wake(), { once: true })
    let carried: EnqueuedAttempt | undefined
    try {
      carried = await this.#add(queue, name, envelope)
      const outcome = carried && (await this.#await(waiting, queue, carried, envelope, signal))
      if (outcome === 'lost') throw notExecuted(queueName, 'The job was lost')
      const declinedJob = waiting.isDeclined ? carried?.jobId : undefined
      return outcome ?? (await callOff(this.#parts, { queue, queueName, envelope, declinedJob }))
    } finally {
      replies.forget(envelope.attempt)
      carried?.end()
    }
  }

  /** Accepts a job: from here on its row stands for it. Returns 202, or the outcome that its key has kept. */
  async accept<Name extends AcceptedJobName>(
    name: Name,
    input: InputOf<Name>,
    origin: Origin,
    /** The ability that a token needs to see the job. */
    ability: Ability,
  ): Promise<Outcome> {
    const { queues, pool } = this.#parts
    const { queue: queueName } = jobs[name]
    const queue = await queues.requireOpen(queueName, LONG_WAIT_MS)
    await this.#parts.clock.compared
    const envelope = { ...this.#envelope(input, origin, ACCEPTED_WAIT_MS), replyTo: null, accepted: true }
    const outcome = await storeJob(pool, name, envelope, ability).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error
      return this.#findAccepted(queue, queueName, envelope, error)
    })
    // If Redis does not take the job, upkeep queues it again from its row.
    if (!outcome.replayed) await sendJob(this.#batches, queue, name, envelope).catch(() => undefined)
    await this.#parts.reads.noteWrite(origin.actor)
    return outcome
  }

  /** Queues the job that a write has accepted; false if there is none. Upkeep does it if Redis fails. */
  async queueAccepted(name: AcceptedJobName, id: string): Promise<boolean> {
    const { queues, pool } = this.#parts
    const envelope = await findEnvelope(pool, name, id)
    if (!envelope) return false
    await queues
      .requireOpen(jobs[name].queue, LONG_WAIT_MS)
      .then((queue) => sendJob(this.#batches, queue, name, envelope))
      .catch(() => undefined)
    return true
  }

  // The INSERT may have succeeded although its answer was lost, or may still arrive: then it is called off.
  async #findAccepted(
    queue: Queue,
    queueName: QueueName,
    envelope: Envelope,
    error: unknown,
  ): Promise<Outcome> {
    const { pool } = this.#parts
    const { attempt, requestId } = envelope
    this.#parts.log.warn({ err: error, attempt, requestId }, 'it is unknown whether the job was stored')
    const stored = await findStored(pool, attempt).catch(() => undefined)
    if (stored) return stored
    // If this does not throw, the attempt has an outcome: it was stored, and is done.
    await callOff(this.#parts, { queue, queueName, envelope })
    return findStored(pool, attempt).then((done) => done ?? Promise.reject(outcomeUnknown(queueName)))
  }

  #envelope<Input>(
    input: Input,
    origin: Origin,
    waitMs: number,
    attempt: string = randomUUID(),
  ): Envelope<Input> {
    const { queues, replies, clock } = this.#parts
    const deadlineMs = clock.now() + waitMs
    const { database } = queues
    return { ...origin, attempt, database, input, deadlineMs, replyTo: replies.channel }
  }

  /** Undefined if it is unknown whether the queue has the job: then it is called off as if it had. */
  async #add(queue: Queue, name: JobName, envelope: Envelope): Promise<EnqueuedAttempt | undefined> {
    try {
      return await sendJob(this.#batches, queue, name, envelope)
    } catch (error) {
      const { attempt, requestId } = envelope
      if (wasNeverSent(error)) throw this.#refuse(jobs[name].queue, error)
      this.#parts.log.warn({ err: error, attempt, requestId }, 'the job may not have reached its queue')
      return undefined
    }
  }

  async #await<Reply>(
    waiting: PendingReply<Reply>,
    queue: Queue,
    { jobId }: EnqueuedAttempt,
    envelope: Envelope,
    signal?: AbortSignal,
  ): Promise<Outcome<Reply> | 'lost' | undefined> {
    let missingSinceMs: number | undefined
    // The deadline may be measured by another clock than this machine's.
    const endMs = Date.now() + envelope.deadlineMs - this.#parts.clock.now()
    for (let looks = 0; Date.now() < endMs; looks++) {
      const nextPollMs = Date.now() + (POLL_AFTER_MS[looks] ?? POLL_EVERY_MS)
      const outcome = await waiting.until(Math.min(nextPollMs, endMs))
      if (outcome) return outcome
      const isOver = signal?.aborted || this.#parts.replies.isClosed || Date.now() >= endMs
      if (isOver || waiting.isDeclined) return undefined
      const stored = await this.#findOutcome<Reply>(envelope)
      if (stored) return stored
      missingSinceMs = (await isMissing(queue, jobId)) ? (missingSinceMs ?? Date.now()) : undefined
      const isLost = missingSinceMs !== undefined && Date.now() - missingSinceMs >= MISSING_MS
      if (isLost && (await this.#abandonLost(envelope))) return 'lost'
    }
    return undefined
  }

  // The job is in no queue any more: Redis has lost it, so nothing will end it. A worker may still be running
  // it.
  async #abandonLost({ attempt, requestId }: Envelope): Promise<boolean> {
    const { receipts, log } = this.#parts
    const isAbandoned = await receipts.tryAbandon(attempt).catch(() => false)
    if (isAbandoned) log.warn({ attempt, requestId }, 'the job is in no queue any more')
    return isAbandoned
  }

  #findOutcome<Reply>({ attempt }: Envelope): Promise<Outcome<Reply> | undefined> {
    const { receipts, log } = this.#parts
    return receipts.find<Reply>(attempt).catch((error: unknown) => {
      log.warn({ err: error, attempt }, 'the receipt could not be read')
      return undefined
    })
  }
}
