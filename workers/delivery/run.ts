// The only consumer: handles every job of the API from its delivery to its reply. Attempts that came in one
// batch run together, with shared statements. On a fault none of them is done, and each is left to run alone:
// a poisonous attempt fails by itself, and all others end as if there had been no batch.
import { setTimeout as wait } from 'node:timers/promises'
import { UnrecoverableError } from 'bullmq'
import { isTransient } from '../../shared/database/faults.ts'
import type { Envelope, InputOf, JobName } from '../../shared/jobs/jobs.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import { within } from '../../shared/tracing/tracing.ts'
import { batchHandlers, handlers } from '../jobs/handlers.ts'
import { noteProgress } from '../runtime/accepted-jobs.ts'
import {
  type Attempt,
  admit,
  declineAll,
  type Ended,
  fail,
  isAttempt,
  type Result,
  skipIfLate,
  type Tools,
} from '../runtime/attempts.ts'
import { isForgotten } from '../runtime/finished-jobs.ts'
import { machineFaultOf } from '../runtime/machine-faults.ts'
import { type Delivery, splitBatch } from '../runtime/payloads.ts'
import { type Performed, perform, performTogether } from '../runtime/perform.ts'
import { reply, sendProgress } from '../runtime/replies.ts'
import type { BatchHandler, Done, Handler } from '../runtime/write.ts'
import { endAttemptSpan, observed, startAttemptSpan, traceTogether } from './observe-attempts.ts'

const RETRY_AFTER_MS = [20, 50, 100, 200, 400]

type BatchedName = keyof typeof batchHandlers
type BatchedAttempt = Attempt & { name: BatchedName; envelope: Envelope<InputOf<BatchedName>> }

export async function run(delivery: Delivery, tools: Tools): Promise<Result | Result[]> {
  if (isForgotten(delivery.data)) throw leftUndone('its deadline has passed')
  const batch = await split(delivery, tools)
  if (batch && delivery.stalledCounter) return queueEachAlone(batch, tools)
  const deliveries = batch ?? [delivery]
  tools.observer?.carried(deliveries.length)
  const results = resultsOf(await runAll(deliveries, tools))
  // A skipped job was retried by hand after it had failed. It is left undone, so it stays among the failed.
  const skipped = results.find((result) => 'skipped' in result)
  if (delivery.attemptsMade && skipped) throw leftUndone(skipped.skipped)
  const [only] = results
  return batch || !only ? results : only
}

const leftUndone = (why: string) => new UnrecoverableError(`Left undone: ${why}`)

async function split(delivery: Delivery, tools: Tools): Promise<Delivery[] | undefined> {
  try {
    return splitBatch(delivery)
  } catch (error) {
    throw await declineAll(delivery, error, tools)
  }
}

// One of the attempts may have crashed its worker, and must not keep the others from being done.
async function queueEachAlone(batch: Delivery[], { queueAlone, log }: Tools): Promise<Result> {
  log.warn(
    { attempts: batch.length },
    'a worker stopped responding with a batch; each attempt is queued alone',
  )
  await Promise.all(batch.map(queueAlone))
  return { skipped: 'each of its attempts was queued alone' }
}

/** Results are in the order of the deliveries. */
async function runAll(deliveries: Delivery[], tools: Tools): Promise<Ended[]> {
  await tools.clock.compared
  const admitted = await Promise.all(deliveries.map((delivery) => admit(delivery, tools)))
  const attempts = admitted.filter(isAttempt)
  for (const attempt of attempts) attempt.span = startAttemptSpan(attempt.name, attempt.envelope)
  const together = runGroups(attempts.filter(goesTogether), tools)
  const end = async (each: Attempt | Ended): Promise<Ended> => {
    if (!isAttempt(each)) return each
    const group = together.get(each)
    const done = group && ((await group).get(each) ?? skipIfLate(each, tools))
    const ended = done ?? (await within(each.span, () => runAlone(each, tools)))
    endAttemptSpan(each.span, ended)
    return ended
  }
  return Promise.all(
    admitted.map((each, index) => observed(tools.observer, deliveries[index]?.name ?? '', () => end(each))),
  )
}

function resultsOf(ended: Ended[]): Result[] {
  const failures = ended.filter((each) => each instanceof Error)
  const [failure] = failures
  if (failure && ended.length === 1) throw failure
  if (failure) {
    throw new UnrecoverableError(`${failures.length} of ${ended.length} attempts failed: ${failure.message}`)
  }
  return ended.filter((each): each is Result => !(each instanceof Error))
}

/** A redelivered attempt runs alone: it may be the one that crashed its worker. */
function goesTogether(attempt: Attempt): attempt is BatchedAttempt {
  return !attempt.isRepeated && Object.hasOwn(batchHandlers, attempt.name)
}

type AnyBatchHandler = BatchHandler<InputOf<BatchedName>, unknown, Done<object | null>>

const handlerOf = ({ name }: BatchedAttempt): AnyBatchHandler => batchHandlers[name] as AnyBatchHandler

type Group = Promise<Map<Attempt, Ended>>

/**
 * Attempts with the same handler run together, except the second of one thing, which runs alone after them. For
 * each attempt, the results of its group.
 */
function runGroups(attempts: BatchedAttempt[], tools: Tools): Map<Attempt, Group> {
  const groups = new Map<AnyBatchHandler, BatchedAttempt[]>()
  for (const attempt of attempts) {
    const handler = handlerOf(attempt)
    groups.set(handler, [...(groups.get(handler) ?? []), attempt])
  }
  return new Map(
    [...groups.values()].flatMap((group) => {
      const results = runTogether(group.filter(isFirstOfThing), tools)
      return group.map((attempt): [Attempt, Group] => [attempt, results])
    }),
  )
}

function isFirstOfThing(attempt: BatchedAttempt, index: number, group: BatchedAttempt[]): boolean {
  const { idOf } = handlerOf(attempt)
  if (!idOf) return true
  const id = idOf(attempt.envelope.input)
  return group.findIndex(({ envelope }) => idOf(envelope.input) === id) === index
}

async function runTogether(attempts: BatchedAttempt[], tools: Tools): Promise<Map<Attempt, Ended>> {
  const results = new Map<Attempt, Ended>()
  const [first] = attempts
  if (!first) return results
  const answers: Promise<void>[] = []
  try {
    const envelopes = attempts.map(({ envelope }) => envelope)
    await traceTogether(attempts, async () => {
      for await (const done of performTogether(tools.database, envelopes, handlerOf(first))) {
        const answered = answerDone(attempts, done, results, tools)
        // Awaited below. Finished attempts get their answers while the others still run.
        answered.catch(() => undefined)
        answers.push(answered)
      }
    })
    await Promise.all(answers)
  } catch (error) {
    first.log.warn({ err: error, attempts: attempts.length }, 'a fault; each attempt runs alone')
    await Promise.allSettled(answers)
  }
  return results
}

async function answerDone(
  attempts: BatchedAttempt[],
  done: Map<Envelope, Performed>,
  results: Map<Attempt, Ended>,
  tools: Tools,
): Promise<void> {
  const ended = attempts.filter(({ envelope }) => done.has(envelope))
  const outcomes = ended.map(({ envelope }) => done.get(envelope))
  for (const [index, result] of (await answer(ended, outcomes, tools)).entries()) {
    const attempt = ended[index]
    if (attempt) results.set(attempt, result)
  }
}

async function runAlone(attempt: Attempt, tools: Tools): Promise<Ended> {
  try {
    const outcome = await retryTransient(() => performJob(attempt.name, attempt, tools), attempt, tools)
    const [result] = await answer([attempt], [outcome], tools)
    return result ?? new Error('There is no result')
  } catch (error) {
    return fail(error, attempt.envelope, tools, attempt.log)
  }
}

function performJob<Name extends JobName>(name: Name, { envelope, log }: Attempt, tools: Tools) {
  const { redis, database } = tools
  const report = (progress: Progress) => {
    sendProgress(redis, envelope, progress, log)
    if (envelope.accepted) noteProgress(database, envelope.attempt, progress, log)
  }
  const handler: Handler<Name> = async (write, input) => {
    try {
      return await handlers[name](write, input)
    } catch (error) {
      const fault = machineFaultOf(error)
      if (fault) log.warn(fault, 'files cannot be read on this machine: look at its temporary folder')
      throw error
    }
  }
  return perform(database, envelope as Envelope<InputOf<Name>>, handler, report)
}

// A commit whose answer was lost is harmless: the next try finds its receipt.
async function retryTransient<T>(
  work: () => Promise<T>,
  { envelope: { deadlineMs }, log }: Attempt,
  { clock }: Tools,
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

/** Replies to the callers, and logs each outcome. Results are in the order of the attempts. */
async function answer(attempts: Attempt[], outcomes: Performed[], tools: Tools) {
  const { redis, log, outcomeLog, refused: refusedBookings } = tools
  const answered = attempts.flatMap(({ envelope }, index) => {
    const outcome = outcomes[index]
    return outcome ? [{ envelope, outcome }] : []
  })
  await reply(redis, answered, log)
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
