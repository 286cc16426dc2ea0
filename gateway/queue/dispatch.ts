// Queues all jobs of the gateway. Waits for a limited time, and returns the outcome. If there is no outcome in time,
// cancels the attempt, so that a write answered with 503 never happens later.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import type pg from 'pg'
import { isDatabaseUnavailable } from '../../shared/database/faults.ts'
import {
  ACCEPTED_WAIT_MS,
  type AcceptedJobName,
  type Envelope,
  getWriteWeight,
  type InputOf,
  type JobName,
  jobs,
  type Outcome,
  type ReplyOf,
} from '../../shared/jobs/jobs.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import type { Config } from '../../shared/settings/config.ts'
import type { Ability } from '../../shared/tokens/token-store.ts'
import type { Clock } from '../../shared/utilities/clock.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { type Admission, findQuotaOwner } from '../overload/admission.ts'
import type { Reads } from '../reads/connections/reads.ts'
import { findAcceptedOutcome, findEnvelope, storeJob } from './accepted-jobs.ts'
import { Batches, type EnqueuedAttempt, queueAttempt } from './batches.ts'
import {
  callOffAttempt,
  createJobRefuser,
  createNotExecutedRefusal,
  createOutcomeUnknownRefusal,
  isJobMissing,
  wasNeverQueued,
} from './call-off.ts'
import type { QueueMonitor } from './queue-monitor.ts'
import type { Receipts } from './receipts.ts'
import type { OnProgress, PendingReply, Replies } from './replies.ts'

export type AttemptOrigin = Pick<
  Envelope,
  'actor' | 'buildingIds' | 'userId' | 'requestId' | 'baseUrl' | 'receivedAt' | 'idempotency'
>

export type DispatchOptions = {
  /** The id of the attempt, for callers that look up the changes that the attempt made. */
  attempt?: string
  onProgress?: OnProgress
  /** Aborted when the caller stops waiting. Long work that has not begun is then cancelled. */
  signal?: AbortSignal
}

type DispatcherServices = {
  queues: QueueMonitor
  receipts: Receipts
  replies: Replies
  /** The pool for storing accepted jobs. */
  pool: pg.Pool
  reads: Pick<Reads, 'noteWrite'>
  admission: Admission
  clock: Clock
  config: Config
  log: Log
}

// The limit of the wait for imports and exports, regardless of how long they normally take. It only prevents
// an endless wait.
const LONG_WAIT_MS = 3_600_000

// The delays after which the gateway reads the receipt if no message has arrived. A lost message does no
// harm, because the receipt is what counts.
const FIRST_POLLS_AFTER_MS = [250, 750, 2_000]
const POLL_EVERY_MS = 3_000
// How long a job must be missing before it counts as lost. While Redis restarts, a job may briefly seem to be missing.
const MISSING_JOB_MS = 1_000

export class Dispatcher {
  readonly #parts: DispatcherServices
  readonly #batches = new Batches()
  readonly #refuse: ReturnType<typeof createJobRefuser>

  constructor(parts: DispatcherServices) {
    this.#parts = parts
    this.#refuse = createJobRefuser(parts.log)
  }

  /** Performs a job, and returns its outcome. The caller's later reads include the write. */
  async dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    origin: AttemptOrigin,
    options: DispatchOptions = {},
  ): Promise<Outcome<ReplyOf<Name>>> {
    const askedMs = performance.now()
    const dispatch = () => this.#dispatch(name, input, origin, { ...options, askedMs })
    const outcome = await (jobs[name].queue === 'writes'
      ? this.#parts.admission.admit(findQuotaOwner(origin.actor), dispatch, getWriteWeight(name, input))
      : dispatch())
    await this.#parts.reads.noteWrite(origin.actor)
    return outcome
  }

  async #dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    origin: AttemptOrigin,
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
      if (outcome === 'lost') throw createNotExecutedRefusal(queueName, 'The job was lost')
      const declinedJob = waiting.isDeclined ? carried?.jobId : undefined
      return outcome ?? (await callOffAttempt(this.#parts, { queue, queueName, envelope, declinedJob }))
    } finally {
      replies.forget(envelope.attempt)
      carried?.end()
    }
  }

  /**
   * Accepts a job by storing it as a row. Returns 202, or the outcome that is already stored under its idempotency key.
   */
  async accept<Name extends AcceptedJobName>(
    name: Name,
    input: InputOf<Name>,
    origin: AttemptOrigin,
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
    // If Redis does not take the job, upkeep queues the job again from its row.
    if (!outcome.replayed) await queueAttempt(this.#batches, queue, name, envelope).catch(() => undefined)
    await this.#parts.reads.noteWrite(origin.actor)
    return outcome
  }

  /** Queues the job that a write has accepted. Returns false if the write accepted no job. If Redis fails,
   * upkeep queues the job. */
  async queueAccepted(name: AcceptedJobName, id: string): Promise<boolean> {
    const { queues, pool } = this.#parts
    const envelope = await findEnvelope(pool, name, id)
    if (!envelope) return false
    await queues
      .requireOpen(jobs[name].queue, LONG_WAIT_MS)
      .then((queue) => queueAttempt(this.#batches, queue, name, envelope))
      .catch(() => undefined)
    return true
  }

  // Finds the outcome of storing a job. The INSERT may have succeeded although its result was lost, or may still
  // arrive: then the attempt is cancelled.
  async #findAccepted(
    queue: Queue,
    queueName: QueueName,
    envelope: Envelope,
    error: unknown,
  ): Promise<Outcome> {
    const { pool } = this.#parts
    const { attempt, requestId } = envelope
    this.#parts.log.warn({ err: error, attempt, requestId }, 'it is unknown whether the job was stored')
    const stored = await findAcceptedOutcome(pool, attempt).catch(() => undefined)
    if (stored) return stored
    // If this does not throw, the attempt has an outcome, so the job was stored.
    await callOffAttempt(this.#parts, { queue, queueName, envelope })
    return findAcceptedOutcome(pool, attempt).then(
      (done) => done ?? Promise.reject(createOutcomeUnknownRefusal(queueName)),
    )
  }

  #envelope<Input>(
    input: Input,
    origin: AttemptOrigin,
    waitMs: number,
    attempt: string = randomUUID(),
  ): Envelope<Input> {
    const { queues, replies, clock } = this.#parts
    const deadlineMs = clock.now() + waitMs
    const { database } = queues
    return { ...origin, attempt, database, input, deadlineMs, replyTo: replies.channel }
  }

  /**
   * Queues an attempt. Returns undefined if it is unknown whether the job was queued. The attempt is then cancelled as
   * if the job had been queued.
   */
  async #add(queue: Queue, name: JobName, envelope: Envelope): Promise<EnqueuedAttempt | undefined> {
    try {
      return await queueAttempt(this.#batches, queue, name, envelope)
    } catch (error) {
      const { attempt, requestId } = envelope
      if (wasNeverQueued(error)) throw this.#refuse(jobs[name].queue, error)
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
    // Converts the deadline to this machine's clock, because it may come from another machine.
    const endMs = Date.now() + envelope.deadlineMs - this.#parts.clock.now()
    for (let looks = 0; Date.now() < endMs; looks++) {
      const nextPollMs = Date.now() + (FIRST_POLLS_AFTER_MS[looks] ?? POLL_EVERY_MS)
      const outcome = await waiting.until(Math.min(nextPollMs, endMs))
      if (outcome) return outcome
      const isOver = signal?.aborted || this.#parts.replies.isClosed || Date.now() >= endMs
      if (isOver || waiting.isDeclined) return undefined
      const stored = await this.#findOutcome<Reply>(envelope)
      if (stored) return stored
      missingSinceMs = (await isJobMissing(queue, jobId)) ? (missingSinceMs ?? Date.now()) : undefined
      const isLost = missingSinceMs !== undefined && Date.now() - missingSinceMs >= MISSING_JOB_MS
      if (isLost && (await this.#abandonLost(envelope))) return 'lost'
    }
    return undefined
  }

  // Marks an attempt as not executed if its job is in no queue any more: Redis has lost the job, so no worker will end
  // it. A worker may still be running it.
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
