// Handles every API job from its delivery to its reply. Attempts of the same kind share transactions, even if they
// belong to several jobs (`shared-transactions.ts`). All other attempts run alone, and so do attempts that cannot share a transaction
// because of a fault.
import { setTimeout as wait } from 'node:timers/promises'
import { UnrecoverableError } from 'bullmq'
import { isForeignKeyViolation, isLockTimeout, isTransient } from '../../shared/database/faults.ts'
import { type Envelope, type InputOf, type JobName, jobs } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import { runWithinSpan } from '../../shared/tracing/tracing.ts'
import { handlers } from '../jobs/handlers.ts'
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
import { perform } from '../runtime/perform.ts'
import { sendProgress } from '../runtime/replies.ts'
import type { Handler } from '../runtime/write.ts'
import { answerCallers } from './answer-callers.ts'
import { endAttemptSpan, observeWork, startAttemptSpan } from './observe-attempts.ts'
import { SharedTransactions } from './shared-transactions.ts'

const RETRY_AFTER_MS = [20, 50, 100, 200, 400]
// After this many lock timeouts an import gives up, because it blocks many other writes while it waits for a lock.
const IMPORT_LOCK_TIMEOUTS_MAX = 3

/** Runs a job. Its attempts may share transactions with the attempts of all jobs that run with the same `transactions`. */
export async function runDelivery(
  delivery: JobDelivery,
  tools: AttemptTools,
  transactions: SharedTransactions = new SharedTransactions(tools),
): Promise<AttemptResult | AttemptResult[]> {
  if (hasNoJobData(delivery.data)) throw createLeftUndoneError('its deadline has passed')
  const batch = await splitIfBatch(delivery, tools)
  if (batch && delivery.stalledCounter) return queueEachAlone(batch, tools)
  const deliveries = batch ?? [delivery]
  tools.observer?.carried(deliveries.length)
  const results = toResults(await runAllAttempts(deliveries, tools, transactions))
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

// Queues each attempt of a batch alone. One of the attempts may have crashed its worker, and must not block the others. The
// attempts do not share a transaction when they are delivered again, either.
async function queueEachAlone(
  batch: JobDelivery[],
  { queueAlone, log }: AttemptTools,
): Promise<AttemptResult> {
  log.warn(
    { attempts: batch.length },
    'a worker stopped responding with a batch; each attempt is queued alone',
  )
  const queue = (each: JobDelivery) =>
    queueAlone({ ...each, data: { ...(each.data as Envelope), runsAlone: true } satisfies Envelope })
  await Promise.all(batch.map(queue))
  return { skipped: 'each of its attempts was queued alone' }
}

/** Runs all attempts that were delivered together. Returns results in the order of the deliveries. */
async function runAllAttempts(
  deliveries: JobDelivery[],
  tools: AttemptTools,
  transactions: SharedTransactions,
): Promise<EndedAttempt[]> {
  await tools.clock.compared
  const admitted = await Promise.all(deliveries.map((delivery) => admitAttempt(delivery, tools)))
  const attempts = admitted.filter(isAttempt)
  for (const attempt of attempts) attempt.span = startAttemptSpan(attempt.name, attempt.envelope)
  const sharedResults = transactions.run(attempts)
  const end = async (each: Attempt | EndedAttempt): Promise<EndedAttempt> => {
    if (!isAttempt(each)) return each
    const shared = sharedResults.get(each)
    const done = shared && ((await shared) ?? skipIfLate(each, tools))
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

async function runAlone(attempt: Attempt, tools: AttemptTools): Promise<EndedAttempt> {
  try {
    const outcome = await retryTransient(prepareJob(attempt.name, attempt, tools), attempt, tools)
    const [result] = await answerCallers([attempt], [outcome], tools)
    return result ?? new Error('There is no result')
  } catch (error) {
    return failAttempt(error, attempt.envelope, tools, attempt.log)
  }
}

/** Returns a function that performs the job. Calling it again after a transient fault continues its count of lock timeouts. */
function prepareJob<Name extends JobName>(name: Name, { envelope, log }: Attempt, tools: AttemptTools) {
  const { redis, database } = tools
  const report = (progress: Progress) => {
    sendProgress(redis, envelope, progress, log)
    if (envelope.accepted) recordProgress(database, envelope.attempt, progress, log)
  }
  let lockTimeouts = 0
  const handler: Handler<Name> = async (write, input) => {
    try {
      return await handlers[name](write, input)
    } catch (error) {
      const fault = findMachineFault(error)
      if (fault) log.warn(fault, 'files cannot be read on this machine; check its temporary folder')
      if (jobs[name].queue !== 'imports' || !isLockTimeout(error)) throw error
      lockTimeouts++
      throw lockTimeouts < IMPORT_LOCK_TIMEOUTS_MAX ? error : createRowsLockedRefusal()
    }
  }
  return () => perform(database, envelope as Envelope<InputOf<Name>>, handler, report)
}

const createRowsLockedRefusal = () =>
  new Refusal(
    'not_executed',
    message`Others kept changing the same data, so nothing was imported. Try again later.`,
  )

// Retries work after a transient fault. If Postgres committed and only its response was lost, a retry is harmless,
// because it finds the receipt of the attempt. Also retries work once after a foreign key violation, which usually
// means that another write has deleted a row after this one read it. The retry no longer finds that row.
async function retryTransient<T>(
  work: () => Promise<T>,
  { envelope: { deadlineMs }, log }: Attempt,
  { clock }: AttemptTools,
): Promise<T> {
  let hasRepeated = false
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const waitMs = RETRY_AFTER_MS[tries] ?? 500
      const isMissingRow: boolean = isForeignKeyViolation(error) && !hasRepeated
      hasRepeated ||= isMissingRow
      if (!(isTransient(error) || isMissingRow) || clock.now() + waitMs > deadlineMs) throw error
      log.warn({ err: error, waitMs }, 'transient fault; retrying')
      await wait(waitMs)
    }
  }
}
