// Decides whether a worker may run an attempt. The attempt must be valid and its deadline must not have
// passed, and its caller must not have been told that it failed.
import { UnrecoverableError } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Knex } from 'knex'
import { isDiskFull, isTransient } from '../../shared/database/faults.ts'
import type { Heartbeat } from '../../shared/identity/heartbeat.ts'
import { type Envelope, type InputOf, type JobName, jobs, type Outcome } from '../../shared/jobs/jobs.ts'
import { createInternalError } from '../../shared/messages/refusal.ts'
import { TAKEOVERS_MAX } from '../../shared/runtime/queues.ts'
import type { Span } from '../../shared/tracing/tracing.ts'
import type { Clock } from '../../shared/utilities/clock.ts'
import { formatError } from '../../shared/utilities/error-details.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { finishJob, reopenJob } from './accepted-jobs.ts'
import { getConnection } from './connection.ts'
import { type JobDelivery, parsePayload, readAttempt, readAttempts, UnknownJob } from './payloads.ts'
import { endAttemptUnlessDone, hasFailed } from './receipts.ts'
import { createRefusedOutcome } from './refusals.ts'
import { sendDeclined, sendReply } from './replies.ts'

export type AttemptTools = {
  database: Knex
  redis: Redis
  log: Log
  /** The log for the line that each attempt writes. This line contains nothing to redact. */
  outcomeLog: Log
  clock: Pick<Clock, 'now' | 'compared'>
  identity: Pick<Heartbeat, 'isOwn' | 'database'>
  /** Queues an attempt of a batch as a separate job. */
  queueAlone(attempt: JobDelivery): Promise<unknown>
  /** Stores refused bookings for the pages of people and places. */
  refused?: { note(name: JobName, envelope: Envelope, outcome: Outcome): void } | undefined
  /** Collects metrics about the work, if metrics are enabled. */
  observer?: WorkObserver | undefined
}

export type WorkObserver = {
  /** Called when a job with this many attempts is delivered. */
  carried(attempts: number): void
  ended(job: string, ended: EndedAttempt, seconds: number): void
  /** Called when a job is taken over from a worker that stopped responding. */
  tookOver(): void
}

/** The data that Redis stores about an attempt for the pages about queues. It never contains the response. */
export type AttemptResult = { status: number; refused?: string } | { skipped: string }

/** The result of an attempt. An error means that the attempt failed and its caller has been told. */
export type EndedAttempt = AttemptResult | Error

export type Attempt = {
  name: JobName
  envelope: Envelope<InputOf<JobName>>
  /** Created on first use, because most attempts in a batch log nothing but their outcome. */
  readonly log: Log
  /**
   * Whether the attempt was delivered before. The worker may have stopped responding, or the attempt failed and
   * somebody retried it by hand.
   */
  isRepeated: boolean
  /** The span in the trace of the request, if that trace is sampled. */
  span?: Span | undefined
}

export const isAttempt = (admitted: Attempt | EndedAttempt): admitted is Attempt => 'envelope' in admitted

export async function admitAttempt(
  delivery: JobDelivery,
  tools: AttemptTools,
): Promise<Attempt | EndedAttempt> {
  const attempt = await parseDelivery(delivery, tools)
  if (attempt instanceof Error) return attempt
  const { envelope } = attempt
  // The attempt belongs to another database, so this worker does not even read its receipt.
  if (!tools.identity.isOwn(envelope.database)) {
    const { log } = attempt
    log.error(
      { database: envelope.database, own: tools.identity.database },
      'declined: the job is for another database',
    )
    await sendDeclined(tools.redis, envelope, log)
    return new UnrecoverableError('The job is for another database')
  }
  const skipped = skipIfLate(attempt, tools)
  if (skipped) return skipped
  try {
    if (hasStalledTooOften(delivery, attempt.name))
      throw new Error('The workers of the job stopped responding')
    const isTriedAgain = (delivery.attemptsMade ?? 0) > 0
    return (isTriedAgain ? await skipIfFailed(attempt, tools) : undefined) ?? attempt
  } catch (error) {
    return failAttempt(error, envelope, tools, attempt.log)
  }
}

/** Skips an attempt whose deadline has passed. Its caller is already abandoning the attempt, and performing
 * the attempt would only delay the caller. */
export function skipIfLate({ envelope, log }: Attempt, { clock }: AttemptTools): AttemptResult | undefined {
  const lateMs = clock.now() - envelope.deadlineMs
  if (lateMs <= 0) return undefined
  log.warn({ lateMs }, 'skipped: its deadline has passed')
  return { skipped: 'its deadline has passed' }
}

async function parseDelivery(delivery: JobDelivery, tools: AttemptTools): Promise<Attempt | Error> {
  try {
    const { name, envelope } = parsePayload(delivery)
    const { attempt, requestId, runsAlone = false } = envelope
    const { attemptsMade = 0, stalledCounter = 0 } = delivery
    return {
      name,
      envelope,
      get log() {
        return tools.log.child({ job: name, attempt, requestId })
      },
      isRepeated: runsAlone || attemptsMade + stalledCounter > 0,
    }
  } catch (error) {
    const envelope = readAttempt(delivery)
    if (!envelope) return declineAllAttempts(delivery, error, tools)
    const { attempt, requestId } = envelope
    const log = tools.log.child({ job: delivery.name, attempt, requestId })
    log.error({ err: error }, 'not a valid payload')
    await reportInvalidAttempt(error, envelope, tools, log)
    return error as Error
  }
}

/**
 * Declines all attempts in an invalid payload. The payload may contain several attempts in another release's format, or
 * somebody may have added it by hand.
 */
export async function declineAllAttempts(
  { id, name, data }: JobDelivery,
  error: unknown,
  tools: AttemptTools,
): Promise<Error> {
  const envelopes = readAttempts(data)
  const log = tools.log.child({ job: name, id, attempts: envelopes.length })
  log.error({ err: error }, 'not a valid payload')
  await Promise.all(envelopes.map((envelope) => sendDeclined(tools.redis, envelope, log)))
  return error as Error
}

// Reports an invalid attempt to its caller. Two kinds are declined and not reported as failed, so that the caller
// abandons the attempt: a job of another database, and a job that another release may know.
async function reportInvalidAttempt(
  error: unknown,
  envelope: Envelope,
  tools: AttemptTools,
  log: Log,
): Promise<void> {
  const isFailure = tools.identity.isOwn(envelope.database) && !(error instanceof UnknownJob)
  if (isFailure) await reportFailure(error, envelope, tools, log)
  else await sendDeclined(tools.redis, envelope, log)
}

// Returns whether too many workers have stopped responding during this job. Each retry by hand allows the same number
// of takeovers again.
function hasStalledTooOften({ stalledCounter = 0, attemptsMade = 0 }: JobDelivery, name: JobName): boolean {
  return stalledCounter > (TAKEOVERS_MAX[jobs[name].queue] + 1) * (attemptsMade + 1) - 1
}

// Skips an attempt whose caller has been told that it failed. The caller may have repeated the write, so this attempt
// must not run.
async function skipIfFailed({ envelope, log }: Attempt, { database }: AttemptTools) {
  if (envelope.accepted) await reopenJob(database, envelope.attempt)
  if (!(await hasFailed(database, envelope.attempt))) return undefined
  log.info('skipped: its caller has already been told that it failed')
  return { skipped: 'its caller has already been told that it failed' }
}

/** Reports the failure of an attempt to the log, the queue and the caller. */
export async function failAttempt(
  error: unknown,
  envelope: Envelope,
  tools: AttemptTools,
  log: Log,
): Promise<Error> {
  log.error({ err: error }, 'failed')
  await reportFailure(error, envelope, tools, log)
  return new UnrecoverableError(formatError(error))
}

// Reports a bug. The caller gets an error immediately, and the receipt prevents the attempt from running later.
async function reportFailure(
  error: unknown,
  envelope: Envelope,
  { database, redis }: AttemptTools,
  log: Log,
) {
  if (isTransient(error)) return
  // With a full disk, Postgres cannot store the receipt either, so the attempt is declined and the caller abandons it.
  if (isDiskFull(error)) return sendDeclined(redis, envelope, log)
  const outcome = createRefusedOutcome(createInternalError(), envelope)
  const { attempt, accepted } = envelope
  try {
    // If another worker that was taken for dead has committed the attempt in the meantime, its outcome counts.
    const done = await database.transaction(async (trx) => {
      const faster = await endAttemptUnlessDone(await getConnection(trx), attempt, outcome)
      if (!faster && accepted) await finishJob(trx, attempt, outcome)
      return faster
    })
    await sendReply(redis, [{ envelope, outcome: done ?? outcome }], log)
  } catch (fault) {
    log.warn({ err: fault }, 'the failure could not be reported; the caller will call the attempt off')
  }
}
