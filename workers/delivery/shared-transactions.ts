// Runs attempts of the same kind in shared transactions. Attempts that arrive while a transaction of their handler is under way
// wait until it ends, and then share the next one, whichever gateway sent them. The rules:
// - An attempt runs alone if it was delivered before, because it may be the one that crashed its worker.
// - A transaction contains each attempt once, and only the first of several attempts on the same resource. The other attempts on
//   that resource run alone after the transaction.
// - No attempt starts after its deadline.
// - A fault undoes the whole transaction. The attempts of each job then share one, and after another fault each attempt runs alone.
//   So a faulty attempt does not make other attempts fail, and a job that cannot share a transaction delays other jobs only once.
// - Callers get their replies as soon as their attempts are committed, and each attempt ends without waiting for the others.
// - If a transaction is slow, the next one starts beside it.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Envelope, InputOf } from '../../shared/jobs/jobs.ts'
import { Batcher } from '../../shared/utilities/batcher.ts'
import { batchHandlers } from '../jobs/handlers.ts'
import { type Attempt, type AttemptTools, type EndedAttempt, skipIfLate } from '../runtime/attempts.ts'
import { type AttemptOutcome, performTogether } from '../runtime/perform.ts'
import type { BatchHandler, HandlerReply } from '../runtime/write.ts'
import { answerCallers } from './answer-callers.ts'
import { traceBatch } from './observe-attempts.ts'

const TRANSACTION_ATTEMPTS_MAX = 128
const SLOW_TRANSACTION_MS = 100

type BatchedName = keyof typeof batchHandlers
type BatchedAttempt = Attempt & { name: BatchedName; envelope: Envelope<InputOf<BatchedName>> }
type AnyBatchHandler = BatchHandler<InputOf<BatchedName>, unknown, HandlerReply<object | null>>

class WaitingAttempt {
  readonly attempt: BatchedAttempt
  /** All attempts of its job. */
  readonly job: Attempt[]
  readonly result: Promise<EndedAttempt | undefined>
  hasEnded = false
  #resolve: (result: EndedAttempt | undefined) => void = () => undefined

  constructor(attempt: BatchedAttempt, job: Attempt[]) {
    this.attempt = attempt
    this.job = job
    this.result = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Ends the wait of the attempt. Without a result, the attempt must run alone. Only the first call has an effect. */
  end(result?: EndedAttempt) {
    this.hasEnded = true
    this.#resolve(result)
  }
}

export class SharedTransactions {
  readonly #tools: AttemptTools
  readonly #batchers = new Map<AnyBatchHandler, Batcher<WaitingAttempt>>()
  // The end of one transaction may start the next one, which must not become part of the trace of the first one.
  readonly #run = AsyncLocalStorage.bind(runTogether)

  constructor(tools: AttemptTools) {
    this.#tools = tools
  }

  /** Returns the result of each attempt that may run with others. The result is undefined if the attempt must run alone. */
  run(attempts: Attempt[]): Map<Attempt, Promise<EndedAttempt | undefined>> {
    const results = new Map<Attempt, Promise<EndedAttempt | undefined>>()
    const waiting = new Map<AnyBatchHandler, WaitingAttempt[]>()
    for (const attempt of attempts.filter(canShare)) {
      const handler = batchHandlers[attempt.name] as AnyBatchHandler
      const each = new WaitingAttempt(attempt, attempts)
      waiting.set(handler, [...(waiting.get(handler) ?? []), each])
      results.set(attempt, each.result)
    }
    for (const [handler, group] of waiting) this.#getBatcher(handler).add(group)
    return results
  }

  #getBatcher(handler: AnyBatchHandler): Batcher<WaitingAttempt> {
    const batcher =
      this.#batchers.get(handler) ??
      new Batcher({
        sizeMax: handler.attemptsMax ?? TRANSACTION_ATTEMPTS_MAX,
        slowMs: SLOW_TRANSACTION_MS,
        start: (group, end) => void this.#run(group, handler, this.#tools, end),
      })
    this.#batchers.set(handler, batcher)
    return batcher
  }
}

function canShare(attempt: Attempt): attempt is BatchedAttempt {
  return !attempt.isRepeated && Object.hasOwn(batchHandlers, attempt.name)
}

/** Runs attempts together, and ends all of them. Calls `letNextStart` after the commit, or at the end if there is none. */
async function runTogether(
  waiting: WaitingAttempt[],
  handler: AnyBatchHandler,
  tools: AttemptTools,
  letNextStart: () => void,
): Promise<void> {
  try {
    const together = listDistinct(skipLate(waiting, tools), handler)
    const leftOut = waiting.filter((each) => !together.includes(each))
    const onCommit = () => {
      letNextStart()
      for (const each of leftOut) each.end()
    }
    if (await runInTransaction(together, handler, tools, onCommit)) return
    const jobs = new Set(together.map(({ job }) => job))
    if (jobs.size < 2) return
    const undone = skipLate(
      together.filter(({ hasEnded }) => !hasEnded),
      tools,
    )
    const ofJobs = [...jobs].map((job) => undone.filter((each) => each.job === job))
    await Promise.all(ofJobs.map((group) => runInTransaction(group, handler, tools)))
  } finally {
    letNextStart()
    for (const each of waiting) each.end()
  }
}

/** Runs attempts in one transaction. Returns false after a fault, which undoes the attempts that have not ended. */
async function runInTransaction(
  together: WaitingAttempt[],
  handler: AnyBatchHandler,
  tools: AttemptTools,
  onCommit: () => void = () => undefined,
): Promise<boolean> {
  const attempts = together.map(({ attempt }) => attempt)
  const envelopes = attempts.map(({ envelope }) => envelope)
  const answers: Promise<void>[] = []
  try {
    await traceBatch(attempts, async () => {
      if (attempts.length === 0) return
      for await (const done of performTogether(tools.database, envelopes, handler)) {
        onCommit()
        const answered = answerDoneAttempts(together, done, tools)
        // The code below awaits this promise and handles its rejection. Meanwhile, callers of finished
        // attempts get their replies.
        answered.catch(() => undefined)
        answers.push(answered)
      }
    })
    await Promise.all(answers)
    return true
  } catch (error) {
    attempts[0]?.log.warn({ err: error, attempts: attempts.length }, 'attempts could not share a transaction')
    await Promise.allSettled(answers)
    return false
  }
}

/** Ends the attempts whose deadline passed while they waited, and returns the other attempts. */
function skipLate(waiting: WaitingAttempt[], tools: AttemptTools): WaitingAttempt[] {
  return waiting.filter((each) => {
    const skipped = skipIfLate(each.attempt, tools)
    if (skipped) each.end(skipped)
    return !skipped
  })
}

/** Returns each attempt once, and only the first of several attempts on the same resource. */
function listDistinct(waiting: WaitingAttempt[], { idOf }: AnyBatchHandler): WaitingAttempt[] {
  const taken = new Set<string | number>()
  return waiting.filter(({ attempt: { envelope } }) => {
    const keys = [envelope.attempt, ...(idOf ? [idOf(envelope.input)] : [])]
    const isFirst = !keys.some((key) => taken.has(key))
    if (isFirst) for (const key of keys) taken.add(key)
    return isFirst
  })
}

async function answerDoneAttempts(
  together: WaitingAttempt[],
  done: Map<Envelope, AttemptOutcome>,
  tools: AttemptTools,
): Promise<void> {
  const ended = together.filter(({ attempt }) => done.has(attempt.envelope))
  const outcomes = ended.map(({ attempt }) => done.get(attempt.envelope))
  const attempts = ended.map(({ attempt }) => attempt)
  const results = await answerCallers(attempts, outcomes, tools)
  for (const [index, each] of ended.entries()) each.end(results[index])
}
