// The only consumer: what happens to every job of the API, from the moment it is delivered to its reply.
import { setTimeout as wait } from 'node:timers/promises'
import { UnrecoverableError } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Knex } from 'knex'
import type { Progress } from '../shared/contracts/progress.ts'
import { formatError } from '../shared/error-details.ts'
import { isTransient } from '../shared/faults.ts'
import {
  type Envelope,
  type InputOf,
  type JobName,
  jobs,
  type Outcome,
  type ReplyMessage,
} from '../shared/jobs.ts'
import type { Log } from '../shared/log.ts'
import { TAKEOVERS_MAX } from '../shared/queues.ts'
import { internalError } from '../shared/refusal.ts'
import type { Clock } from '../shared/utilities/clock.ts'
import { finishJob, noteProgress, reopen } from './accepted.ts'
import { isForgotten } from './finished-jobs.ts'
import { handlers } from './handlers.ts'
import { refusedOutcome } from './outcomes.ts'
import { type Delivery, type Payload, parsePayload, readAttempt } from './payloads.ts'
import { perform } from './perform.ts'
import { claimAttempt, hasFailed, storeOutcome } from './receipts.ts'

export type Tools = {
  database: Knex
  redis: Redis
  log: Log
  clock: Pick<Clock, 'now' | 'compared'>
}

/** What stays of a job in Redis, for whoever looks at the queue: never the answer itself. */
export type Result = { status: number; refused?: string } | { skipped: string }

const PUBLISHED_LENGTH_MAX = 256 * 1024
const RETRY_AFTER_MS = [20, 50, 100, 200, 400]

export async function run(delivery: Delivery, tools: Tools): Promise<Result> {
  if (isForgotten(delivery.data)) return { skipped: 'its deadline has passed' }
  const { name, envelope } = await parse(delivery, tools)
  const log = tools.log.child({ job: name, attempt: envelope.attempt, requestId: envelope.requestId })
  await tools.clock.compared
  const lateMs = tools.clock.now() - envelope.deadlineMs
  if (lateMs > 0) {
    log.warn({ lateMs }, 'skipped: its deadline has passed')
    return { skipped: 'its deadline has passed' }
  }
  const isTriedAgain = (delivery.attemptsMade ?? 0) > 0
  try {
    if (stalledTooOften(delivery, name)) throw new Error('Its workers stopped responding')
    if (isTriedAgain && envelope.accepted) await reopen(tools.database, envelope.attempt)
    if (isTriedAgain && (await hasFailed(tools.database, envelope.attempt))) return skipAlreadyFailed(log)
    const outcome = await retryTransient(
      () => performJob(name, envelope, tools, log),
      envelope,
      tools.clock,
      log,
    )
    if (!outcome) {
      log.info('skipped: called off')
      return { skipped: 'it was called off' }
    }
    await reply(tools.redis, envelope, outcome, log)
    log.info({ status: outcome.status, refused: outcome.refused }, 'done')
    return { status: outcome.status, ...(outcome.refused ? { refused: outcome.refused } : {}) }
  } catch (error) {
    log.error({ err: error }, 'failed')
    await fail(error, envelope, tools, log)
    throw new UnrecoverableError(formatError(error))
  }
}

function performJob<Name extends JobName>(
  name: Name,
  envelope: Envelope<InputOf<Name>>,
  tools: Tools,
  log: Log,
): Promise<Outcome | undefined> {
  return perform(tools.database, name, envelope, handlers[name], reporter(tools, envelope, log))
}

// Whoever tries it again allows it as many takeovers once more.
function stalledTooOften({ stalledCounter = 0, attemptsMade = 0 }: Delivery, name: JobName): boolean {
  return stalledCounter > (TAKEOVERS_MAX[jobs[name].queue] + 1) * (attemptsMade + 1) - 1
}

// Whoever waited was answered, and may have done it anew since: it is not done behind their back.
function skipAlreadyFailed(log: Log): Result {
  log.info('skipped: its caller has already been told that it failed')
  return { skipped: 'its caller has already been told that it failed' }
}

async function parse(delivery: Delivery, tools: Tools): Promise<Payload> {
  try {
    return parsePayload(delivery)
  } catch (error) {
    const envelope = readAttempt(delivery)
    const log = tools.log.child({
      job: delivery.name,
      attempt: delivery.id,
      requestId: envelope?.requestId,
    })
    log.error({ err: error }, 'not a valid payload')
    if (envelope) await fail(error, envelope, tools, log)
    throw error
  }
}

// Faults that pass by themselves are tried again as long as somebody waits. A commit whose answer was lost does no
// harm: the next try finds its receipt.
async function retryTransient<T>(
  work: () => Promise<T>,
  envelope: Envelope,
  clock: Tools['clock'],
  log: Log,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const waitMs = RETRY_AFTER_MS[attempt] ?? 500
      if (!isTransient(error) || clock.now() + waitMs > envelope.deadlineMs) throw error
      log.warn({ err: error, waitMs }, 'transient fault; retrying')
      await wait(waitMs)
    }
  }
}

function reply(redis: Redis, envelope: Envelope, outcome: Outcome, log: Log): Promise<void> {
  return send(redis, envelope, { attempt: envelope.attempt, outcome }, log)
}

async function send(redis: Redis, envelope: Envelope, message: ReplyMessage, log: Log): Promise<void> {
  if (!envelope.replyTo) return
  try {
    const text = JSON.stringify(message)
    // Redis holds what its subscribers have not read yet, and cuts off those for whom that is too much.
    const isLarge = text.length > PUBLISHED_LENGTH_MAX
    await redis.spublish(
      envelope.replyTo,
      isLarge ? JSON.stringify({ attempt: message.attempt, isStored: true } satisfies ReplyMessage) : text,
    )
  } catch (error) {
    log.warn({ err: error }, 'the reply could not be sent; the receipt has it')
  }
}

function reporter(tools: Tools, envelope: Envelope, log: Log) {
  return (progress: Progress) => {
    send(tools.redis, envelope, { attempt: envelope.attempt, progress }, log)
    if (envelope.accepted) noteProgress(tools.database, envelope.attempt, progress, log)
  }
}

// A bug: the caller hears so at once, and the receipt sees to it that nobody makes it happen after all.
async function fail(error: unknown, envelope: Envelope, { database, redis }: Tools, log: Log): Promise<void> {
  if (isTransient(error)) return
  const outcome = refusedOutcome(internalError(), envelope)
  try {
    // Another worker, taken for dead, may have done it meanwhile: then that is the truth.
    const truth = await database.transaction(async (trx) => {
      const claim = await claimAttempt(trx, envelope.attempt)
      if (claim.state === 'done') return claim.outcome
      if (claim.state === 'ours') await storeOutcome(trx, envelope.attempt, outcome)
      if (envelope.accepted) await finishJob(trx, envelope.attempt, outcome)
      return outcome
    })
    await reply(redis, envelope, truth, log)
  } catch (fault) {
    log.warn({ err: fault }, 'the failure could not be reported; its caller will call the attempt off')
  }
}
