// Admits an attempt to a worker: parsed, in time, and not already reported to its caller as failed.
import { UnrecoverableError } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Knex } from 'knex'
import { isDiskFull, isTransient } from '../../shared/database/faults.ts'
import type { Heartbeat } from '../../shared/identity/heartbeat.ts'
import { type Envelope, type InputOf, type JobName, jobs, type Outcome } from '../../shared/jobs/jobs.ts'
import { internalError } from '../../shared/messages/refusal.ts'
import { TAKEOVERS_MAX } from '../../shared/runtime/queues.ts'
import type { Span } from '../../shared/tracing/tracing.ts'
import type { Clock } from '../../shared/utilities/clock.ts'
import { formatError } from '../../shared/utilities/error-details.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { finishJob, reopen } from './accepted-jobs.ts'
import { rawConnection } from './connection.ts'
import { type Delivery, parsePayload, readAttempt, readAttempts, UnknownJob } from './payloads.ts'
import { endUnlessDone, hasFailed } from './receipts.ts'
import { refusedOutcome } from './refusals.ts'
import { decline, reply } from './replies.ts'

export type Tools = {
  database: Knex
  redis: Redis
  log: Log
  /** For the one log line per attempt; it contains nothing that needs redacting. */
  outcomeLog: Log
  clock: Pick<Clock, 'now' | 'compared'>
  identity: Pick<Heartbeat, 'isOwn' | 'database'>
  /** Puts an attempt of a batch into the queue as a separate job. */
  queueAlone(attempt: Delivery): Promise<unknown>
  /** Keeps refused bookings for the dashboard. */
  refused?: { note(name: JobName, envelope: Envelope, outcome: Outcome): void } | undefined
  /** Collects metrics of the work, if metrics are enabled. */
  observer?: WorkObserver | undefined
}

export type WorkObserver = {
  /** A job with this many attempts has been delivered. */
  carried(attempts: number): void
  ended(job: string, ended: Ended, seconds: number): void
  /** A job was taken over from a worker that stopped responding. */
  tookOver(): void
}

/** What Redis keeps of an attempt, for the queue pages: never the answer itself. */
export type Result = { status: number; refused?: string } | { skipped: string }

/** An error means that it failed and its caller has been answered. */
export type Ended = Result | Error

export type Attempt = {
  name: JobName
  envelope: Envelope<InputOf<JobName>>
  /** Created on first use: most attempts of a batch log nothing but their outcome. */
  readonly log: Log
  /** Delivered before: to a worker that stopped responding, or retried by hand after it failed. */
  isRepeated: boolean
  /** The span within the trace of its request, if that is sampled. */
  span?: Span | undefined
}

export const isAttempt = (admitted: Attempt | Ended): admitted is Attempt => 'envelope' in admitted

export async function admit(delivery: Delivery, tools: Tools): Promise<Attempt | Ended> {
  const attempt = await parse(delivery, tools)
  if (attempt instanceof Error) return attempt
  const { envelope } = attempt
  // Does not even read its receipt: the attempt is for another database.
  if (!tools.identity.isOwn(envelope.database)) {
    const { log } = attempt
    log.error(
      { database: envelope.database, own: tools.identity.database },
      'declined: the job is for another database',
    )
    await decline(tools.redis, envelope, log)
    return new UnrecoverableError('The job is for another database')
  }
  const skipped = skipIfLate(attempt, tools)
  if (skipped) return skipped
  try {
    if (stalledTooOften(delivery, attempt.name)) throw new Error('Its workers stopped responding')
    const isTriedAgain = (delivery.attemptsMade ?? 0) > 0
    return (isTriedAgain ? await skipAlreadyFailed(attempt, tools) : undefined) ?? attempt
  } catch (error) {
    return fail(error, envelope, tools, attempt.log)
  }
}

/** The caller is calling it off, and beginning it now would only delay that. */
export function skipIfLate({ envelope, log }: Attempt, { clock }: Tools): Result | undefined {
  const lateMs = clock.now() - envelope.deadlineMs
  if (lateMs <= 0) return undefined
  log.warn({ lateMs }, 'skipped: its deadline has passed')
  return { skipped: 'its deadline has passed' }
}

async function parse(delivery: Delivery, tools: Tools): Promise<Attempt | Error> {
  try {
    const { name, envelope } = parsePayload(delivery)
    const { attempt, requestId } = envelope
    const { attemptsMade = 0, stalledCounter = 0 } = delivery
    return {
      name,
      envelope,
      get log() {
        return tools.log.child({ job: name, attempt, requestId })
      },
      isRepeated: attemptsMade + stalledCounter > 0,
    }
  } catch (error) {
    const envelope = readAttempt(delivery)
    if (!envelope) return declineAll(delivery, error, tools)
    const { attempt, requestId } = envelope
    const log = tools.log.child({ job: delivery.name, attempt, requestId })
    log.error({ err: error }, 'not a valid payload')
    await reportInvalid(error, envelope, tools, log)
    return error as Error
  }
}

/** An invalid payload may carry several attempts in another release's format, or was added by hand. */
export async function declineAll({ id, name, data }: Delivery, error: unknown, tools: Tools): Promise<Error> {
  const envelopes = readAttempts(data)
  const log = tools.log.child({ job: name, id, attempts: envelopes.length })
  log.error({ err: error }, 'not a valid payload')
  await Promise.all(envelopes.map((envelope) => decline(tools.redis, envelope, log)))
  return error as Error
}

// A job of another database must not even be reported as failed. And a job that another release would know
// need not have failed for good: its caller calls it off.
async function reportInvalid(error: unknown, envelope: Envelope, tools: Tools, log: Log): Promise<void> {
  const isFailure = tools.identity.isOwn(envelope.database) && !(error instanceof UnknownJob)
  if (isFailure) await reportFailure(error, envelope, tools, log)
  else await decline(tools.redis, envelope, log)
}

// Each manual retry allows the same number of takeovers again.
function stalledTooOften({ stalledCounter = 0, attemptsMade = 0 }: Delivery, name: JobName): boolean {
  return stalledCounter > (TAKEOVERS_MAX[jobs[name].queue] + 1) * (attemptsMade + 1) - 1
}

// The caller got a failure and may have repeated the write since, so it must not happen after all.
async function skipAlreadyFailed({ envelope, log }: Attempt, { database }: Tools) {
  if (envelope.accepted) await reopen(database, envelope.attempt)
  if (!(await hasFailed(database, envelope.attempt))) return undefined
  log.info('skipped: its caller has already been told that it failed')
  return { skipped: 'its caller has already been told that it failed' }
}

/** Reports the failure to the log, the queue and the caller. */
export async function fail(error: unknown, envelope: Envelope, tools: Tools, log: Log): Promise<Error> {
  log.error({ err: error }, 'failed')
  await reportFailure(error, envelope, tools, log)
  return new UnrecoverableError(formatError(error))
}

// A bug: the caller gets an error at once, and the receipt prevents the attempt from being done later.
async function reportFailure(error: unknown, envelope: Envelope, { database, redis }: Tools, log: Log) {
  if (isTransient(error)) return
  // The receipt could not be stored either: the caller calls it off.
  if (isDiskFull(error)) return decline(redis, envelope, log)
  const outcome = refusedOutcome(internalError(), envelope)
  const { attempt, accepted } = envelope
  try {
    // Another worker that was taken for dead may have committed it meanwhile: then that outcome counts.
    const done = await database.transaction(async (trx) => {
      const faster = await endUnlessDone(await rawConnection(trx), attempt, outcome)
      if (!faster && accepted) await finishJob(trx, attempt, outcome)
      return faster
    })
    await reply(redis, [{ envelope, outcome: done ?? outcome }], log)
  } catch (fault) {
    log.warn({ err: fault }, 'the failure could not be reported; its caller will call the attempt off')
  }
}
