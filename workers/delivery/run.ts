// Handles every API job from its delivery to its reply. Attempts that arrive in one batch run together, with
// shared statements. If a fault occurs in a batch, all of its work is undone, and each attempt is queued
// again to run alone. A faulty attempt then fails without affecting the others.
import { setTimeout as wait } from 'node:timers/promises'
import { UnrecoverableError } from 'bullmq'
import { isTransient } from '../../shared/database/faults.ts'
import type { Envelope, InputOf, JobName } from '../../shared/jobs/jobs.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import { runWithinSpan } from '../../shared/tracing/tracing.ts'
import { batchHandlers, handlers } from '../jobs/handlers.ts'
import { recordProgress } from '../runtime/accepted-jobs.ts'
import {
  type Attempt,
  type AttemptResult,
  type AttemptTools,
  admitAttempt,
  declineAllAttempts,
  type EndedAttempt,
  failAttempt,
  isAttempt,
  skipIfLate,
} from '../runtime/attempts.ts'
import { hasNoJobData } from '../runtime/finished-jobs.ts'
import { findMachineFault } from '../runtime/machine-faults.ts'
import { type JobDelivery, splitBatch } from '../runtime/payloads.ts'
import { type AttemptOutcome, perform, performTogether } from '../runtime/perform.ts'
import { sendProgress, sendReply } from '../runtime/replies.ts'
import type { BatchHandler, Handler, HandlerReply } from '../runtime/write.ts'
import { endAttemptSpan, observeWork, startAttemptSpan, traceBatch } from './observe-attempts.ts'

const RETRY_AFTER_MS = [20, 50, 100, 200, 400]

type BatchedName = keyof typeof batchHandlers
type BatchedAttempt = Attempt & { name: BatchedName; envelope: Envelope<InputOf<BatchedName>> }

export async function runDelivery(
  delivery: JobDelivery,
  tools: AttemptTools,
): Promise<AttemptResult | AttemptResult[]> {
  if (hasNoJobData(delivery.data)) throw createLeftUndoneError('its deadline has passed')
  const batch = await splitIfBatch(delivery, tools)
  if (batch && delivery.stalledCounter) return queueEachAlone(batch, tools)
  const deliveries = batch ?? [delivery]
  tools.observer?.carried(deliveries.length)
  const results = toResults(await runAllAttempts(deliveries, tools))
  // An administrator retried this job by hand after it had failed. The attempt is not run, so the job stays in the list
  // of failed jobs.
  const skipped = results.find((result) => 'skipped' in result)
  if (delivery.attemptsMade && skipped) throw createLeftUndoneError(skipped.skipped)
  const [only] = results
  return batch || !only ? results : only
}

const createLeftUndoneError = (why: string) => new UnrecoverableError(`Left undone: ${why}`)

async function splitIfBatch(delivery: JobDelivery, tools: AttemptTools): Promise<JobDelivery[] | undefined> {
  try {
    return splitBatch(delivery)
  } catch (error) {
    throw await declineAllAttempts(delivery, error, tools)
  }
}

// Queues each attempt of a batch alone. One of the attempts may have crashed its worker, and must not block the others.
async function queueEachAlone(
  batch: JobDelivery[],
  { queueAlone, log }: AttemptTools,
): Promise<AttemptResult> {
  log.warn(
    { attempts: batch.length },
    'a worker stopped responding with a batch; each attempt is queued alone',
  )
  await Promise.all(batch.map(queueAlone))
  return { skipped: 'each of its attempts was queued alone' }
}

/** Runs all attempts that were delivered together. Returns results in the order of the deliveries. */
async function runAllAttempts(deliveries: JobDelivery[], tools: AttemptTools): Promise<EndedAttempt[]> {
  await tools.clock.compared
  const admitted = await Promise.all(deliveries.map((delivery) => admitAttempt(delivery, tools)))
  const attempts = admitted.filter(isAttempt)
  for (const attempt of attempts) attempt.span = startAttemptSpan(attempt.name, attempt.envelope)
  const together = runGroups(attempts.filter(canRunInBatch), tools)
  const end = async (each: Attempt | EndedAttempt): Promise<EndedAttempt> => {
    if (!isAttempt(each)) return each
    const group = together.get(each)
    const done = group && ((await group).get(each) ?? skipIfLate(each, tools))
    const ended = done ?? (await runWithinSpan(each.span, () => runAlone(each, tools)))
    endAttemptSpan(each.span, ended)
    return ended
  }
  return Promise.all(
    admitted.map((each, index) =>
      observeWork(tools.observer, deliveries[index]?.name ?? '', () => end(each)),
    ),
  )
}

function toResults(ended: EndedAttempt[]): AttemptResult[] {
  const failures = ended.filter((each) => each instanceof Error)
  const [failure] = failures
  if (failure && ended.length === 1) throw failure
  if (failure) {
    throw new UnrecoverableError(`${failures.length} of ${ended.length} attempts failed: ${failure.message}`)
  }
  return ended.filter((each): each is AttemptResult => !(each instanceof Error))
}

/**
 * Whether the attempt may run in a batch. A redelivered attempt must run alone, because it may be the one that crashed
 * its worker.
 */
function canRunInBatch(attempt: Attempt): attempt is BatchedAttempt {
  return !attempt.isRepeated && Object.hasOwn(batchHandlers, attempt.name)
}

type AnyBatchHandler = BatchHandler<InputOf<BatchedName>, unknown, HandlerReply<object | null>>

const getHandler = ({ name }: BatchedAttempt): AnyBatchHandler => batchHandlers[name] as AnyBatchHandler

type GroupResult = Promise<Map<Attempt, EndedAttempt>>

/**
 * Runs attempts that have the same handler together. A second attempt on the same resource runs alone after them.
 * Returns the results of each attempt's group.
 */
function runGroups(attempts: BatchedAttempt[], tools: AttemptTools): Map<Attempt, GroupResult> {
  const groups = new Map<AnyBatchHandler, BatchedAttempt[]>()
  for (const attempt of attempts) {
    const handler = getHandler(attempt)
    groups.set(handler, [...(groups.get(handler) ?? []), attempt])
  }
  return new Map(
    [...groups.values()].flatMap((group) => {
      const results = runGroupTogether(group.filter(isFirstOnResource), tools)
      return group.map((attempt): [Attempt, GroupResult] => [attempt, results])
    }),
  )
}

function isFirstOnResource(attempt: BatchedAttempt, index: number, group: BatchedAttempt[]): boolean {
  const { idOf } = getHandler(attempt)
  if (!idOf) return true
  const id = idOf(attempt.envelope.input)
  return group.findIndex(({ envelope }) => idOf(envelope.input) === id) === index
}

async function runGroupTogether(
  attempts: BatchedAttempt[],
  tools: AttemptTools,
): Promise<Map<Attempt, EndedAttempt>> {
  const results = new Map<Attempt, EndedAttempt>()
  const [first] = attempts
  if (!first) return results
  const answers: Promise<void>[] = []
  try {
    const envelopes = attempts.map(({ envelope }) => envelope)
    await traceBatch(attempts, async () => {
      for await (const done of performTogether(tools.database, envelopes, getHandler(first))) {
        const answered = answerDoneAttempts(attempts, done, results, tools)
        // The code below awaits this promise and handles its rejection. Meanwhile, callers of finished
        // attempts get their replies.
        answered.catch(() => undefined)
        answers.push(answered)
      }
    })
    await Promise.all(answers)
  } catch (error) {
    first.log.warn({ err: error, attempts: attempts.length }, 'a batch failed; each attempt runs alone')
    await Promise.allSettled(answers)
  }
  return results
}

async function answerDoneAttempts(
  attempts: BatchedAttempt[],
  done: Map<Envelope, AttemptOutcome>,
  results: Map<Attempt, EndedAttempt>,
  tools: AttemptTools,
): Promise<void> {
  const ended = attempts.filter(({ envelope }) => done.has(envelope))
  const outcomes = ended.map(({ envelope }) => done.get(envelope))
  for (const [index, result] of (await answerCallers(ended, outcomes, tools)).entries()) {
    const attempt = ended[index]
    if (attempt) results.set(attempt, result)
  }
}

async function runAlone(attempt: Attempt, tools: AttemptTools): Promise<EndedAttempt> {
  try {
    const outcome = await retryTransient(() => performJob(attempt.name, attempt, tools), attempt, tools)
    const [result] = await answerCallers([attempt], [outcome], tools)
    return result ?? new Error('There is no result')
  } catch (error) {
    return failAttempt(error, attempt.envelope, tools, attempt.log)
  }
}

function performJob<Name extends JobName>(name: Name, { envelope, log }: Attempt, tools: AttemptTools) {
  const { redis, database } = tools
  const report = (progress: Progress) => {
    sendProgress(redis, envelope, progress, log)
    if (envelope.accepted) recordProgress(database, envelope.attempt, progress, log)
  }
  const handler: Handler<Name> = async (write, input) => {
    try {
      return await handlers[name](write, input)
    } catch (error) {
      const fault = findMachineFault(error)
      if (fault) log.warn(fault, 'files cannot be read on this machine; check its temporary folder')
      throw error
    }
  }
  return perform(database, envelope as Envelope<InputOf<Name>>, handler, report)
}

// Retries work after a transient fault. If Postgres committed and only its response was lost, a retry is harmless,
// because it finds the receipt of the attempt.
async function retryTransient<T>(
  work: () => Promise<T>,
  { envelope: { deadlineMs }, log }: Attempt,
  { clock }: AttemptTools,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const waitMs = RETRY_AFTER_MS[tries] ?? 500
      if (!isTransient(error) || clock.now() + waitMs > deadlineMs) throw error
      log.warn({ err: error, waitMs }, 'transient fault; retrying')
      await wait(waitMs)
    }
  }
}

/** Replies to the callers of the attempts and logs each outcome. Returns results in the order of the attempts. */
async function answerCallers(attempts: Attempt[], outcomes: AttemptOutcome[], tools: AttemptTools) {
  const { redis, log, outcomeLog, refused: refusedBookings } = tools
  const answered = attempts.flatMap(({ envelope }, index) => {
    const outcome = outcomes[index]
    return outcome ? [{ envelope, outcome }] : []
  })
  await sendReply(redis, answered, log)
  return attempts.map(({ name, envelope }, index) => {
    const { attempt, requestId } = envelope
    const about = { job: name, attempt, requestId }
    const outcome = outcomes[index]
    if (!outcome) {
      outcomeLog.info(about, 'skipped: called off')
      return { skipped: 'it was called off' }
    }
    refusedBookings?.note(name, envelope, outcome)
    const { status, refused } = outcome
    outcomeLog.info({ ...about, status, refused }, 'done')
    return { status, ...(refused ? { refused } : {}) }
  })
}
