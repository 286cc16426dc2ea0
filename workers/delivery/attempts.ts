// An attempt as a worker takes it on: parsed, in time, and not told to its caller as failed before.

import { UnrecoverableError } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Knex } from 'knex'
import { formatError } from '../../shared/error-details.ts'
import { isDiskFull, isTransient } from '../../shared/faults.ts'
import type { Heartbeat } from '../../shared/identity/heartbeat.ts'
import { type Envelope, type InputOf, type JobName, jobs } from '../../shared/jobs.ts'
import type { Log } from '../../shared/log.ts'
import { TAKEOVERS_MAX } from '../../shared/queues.ts'
import { internalError } from '../../shared/refusal.ts'
import type { Span } from '../../shared/tracing/tracing.ts'
import type { Clock } from '../../shared/utilities/clock.ts'
import { finishJob, reopen } from '../async-jobs.ts'
import { rawConnection } from '../connection.ts'
import { refusedOutcome } from '../outcomes.ts'
import { hasFailed, storeUnlessDone } from '../receipts.ts'
import { type Delivery, parsePayload, readAttempt, readAttempts, UnknownJob } from './payloads.ts'
import { decline, reply } from './replies.ts'

export type Tools = {
  database: Knex
  redis: Redis
  log: Log
  /** For the line that each attempt has: it holds nothing that would have to be redacted. */
  outcomeLog: Log
  clock: Pick<Clock, 'now' | 'compared'>
  identity: Pick<Heartbeat, 'isOwn' | 'database'>
  /** Puts an attempt of a batch into the queue as a job of its own. */
  queueAlone(attempt: Delivery): Promise<unknown>
  /** Makes figures of the work, where somebody reads them. */
  observer?: WorkObserver | undefined
}

export type WorkObserver = {
  /** A job has been delivered that carries so many attempts. */
  carried(attempts: number): void
  ended(job: string, ended: Ended, seconds: number): void
  /** A job was taken over from a worker that stopped responding. */
  tookOver(): void
}

/** What stays of an attempt in Redis, for whoever looks at the queue: never the answer itself. */
export type Result = { status: number; refused?: string } | { skipped: string }

/** An error: it failed, and whoever waits has been told. */
export type Ended = Result | Error

export type Attempt = {
  name: JobName
  envelope: Envelope<InputOf<JobName>>
  /** Made when it is asked for: nearly all attempts of a batch have no line of their own but that of their outcome. */
  readonly log: Log
  /** Delivered before: to a worker that stopped responding, or by hand after it failed. */
  isRepeated: boolean
  /** Its part of the trace of its request, where that is sampled. */
  span?: Span | undefined
}

export const isAttempt = (admitted: Attempt | Ended): admitted is Attempt => 'envelope' in admitted

export async function admit(delivery: Delivery, tools: Tools): Promise<Attempt | Ended> {
  const attempt = await parse(delivery, tools)
  if (attempt instanceof Error) return attempt
  const { envelope } = attempt
  // Not even its receipt: the database is not the one that it is meant for.
  if (!tools.identity.isOwn(envelope.database)) {
    const { log } = attempt
    log.error(
      { database: envelope.database, own: tools.identity.database },
      'declined: it is of another database',
    )
    await decline(tools.redis, envelope, log)
    return new UnrecoverableError('It is of another database')
  }
  const skipped = skipIfLate(attempt, tools)
  if (skipped) return skipped
  try {
    if (stalledTooOften(delivery, attempt.name)) throw new Error('Its workers stopped responding')
    const isTriedAgain = (delivery.attemptsMade ?? 0) > 0
    return (isTriedAgain ? await skipIfToldOf(attempt, tools) : undefined) ?? attempt
  } catch (error) {
    return fail(error, envelope, tools, attempt.log)
  }
}

/** Whoever waited for it is calling it off: beginning it now would only keep them from it. */
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
    await tellOfInvalid(error, envelope, tools, log)
    return error as Error
  }
}

/** What names no attempt of its own may carry several, in a form of another release; or it was made by hand. */
export async function declineAll({ id, name, data }: Delivery, error: unknown, tools: Tools): Promise<Error> {
  const envelopes = readAttempts(data)
  const log = tools.log.child({ job: name, id, attempts: envelopes.length })
  log.error({ err: error }, 'not a valid payload')
  await Promise.all(envelopes.map((envelope) => decline(tools.redis, envelope, log)))
  return error as Error
}

// Of another database it may not even say that it failed. And where another release would know what it is, it need not
// have failed for good: whoever waits calls it off.
async function tellOfInvalid(error: unknown, envelope: Envelope, tools: Tools, log: Log): Promise<void> {
  const isFailure = tools.identity.isOwn(envelope.database) && !(error instanceof UnknownJob)
  if (isFailure) await tellOfFailure(error, envelope, tools, log)
  else await decline(tools.redis, envelope, log)
}

// Whoever tries it again allows it as many takeovers once more.
function stalledTooOften({ stalledCounter = 0, attemptsMade = 0 }: Delivery, name: JobName): boolean {
  return stalledCounter > (TAKEOVERS_MAX[jobs[name].queue] + 1) * (attemptsMade + 1) - 1
}

// Whoever waited was answered, and may have done it anew since: it is not done behind their back.
async function skipIfToldOf({ envelope, log }: Attempt, { database }: Tools): Promise<Result | undefined> {
  if (envelope.accepted) await reopen(database, envelope.attempt)
  if (!(await hasFailed(database, envelope.attempt))) return undefined
  log.info('skipped: its caller has already been told that it failed')
  return { skipped: 'its caller has already been told that it failed' }
}

/** Says so in the log, to the queue, and to whoever waits. */
export async function fail(error: unknown, envelope: Envelope, tools: Tools, log: Log): Promise<Error> {
  log.error({ err: error }, 'failed')
  await tellOfFailure(error, envelope, tools, log)
  return new UnrecoverableError(formatError(error))
}

// A bug: the caller hears so at once, and the receipt sees to it that nobody makes it happen after all.
async function tellOfFailure(
  error: unknown,
  envelope: Envelope,
  { database, redis }: Tools,
  log: Log,
): Promise<void> {
  if (isTransient(error)) return
  // Its receipt could not be stored either: whoever waits calls it off.
  if (isDiskFull(error)) return decline(redis, envelope, log)
  const outcome = refusedOutcome(internalError(), envelope)
  const { attempt, accepted } = envelope
  try {
    // Another worker, taken for dead, may have done it meanwhile: then that is the truth.
    const done = await database.transaction(async (trx) => {
      const faster = await storeUnlessDone(await rawConnection(trx), attempt, outcome)
      if (!faster && accepted) await finishJob(trx, attempt, outcome)
      return faster
    })
    await reply(redis, [{ envelope, outcome: done ?? outcome }], log)
  } catch (fault) {
    log.warn({ err: fault }, 'the failure could not be reported; its caller will call the attempt off')
  }
}
