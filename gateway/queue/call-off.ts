// Calls an attempt off, so that no worker carries it out: by a mark in Postgres. A Postgres with a full disk
// takes no mark; then it is proof enough that a worker has declined the attempt and its job has ended.
import { setTimeout as wait } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import { isDiskFull } from '../../shared/database/faults.ts'
import type { Envelope, Outcome } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import { Refusal, type UnavailableReason } from '../../shared/messages/refusal.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { FreshSingleFlight } from '../../shared/utilities/shared-look-ups.ts'
import { unavailable } from '../overload/refusals.ts'
import { WORK_NOUNS } from './queue-monitor.ts'
import type { Receipts } from './receipts.ts'

type Parts = { receipts: Receipts; log: Log }
type CalledOff = {
  queue: Queue
  queueName: QueueName
  envelope: Envelope
  /** The job that brought the attempt to a worker, which declined it. */
  declinedJob?: string | undefined
}

// A worker ends its job after it has reported that it declines.
const ENDED_MS_MAX = 1_000
const POLL_EVERY_MS = 25

/** Returns the outcome if a worker was faster. */
export async function callOff<Reply>(parts: Parts, attempt: CalledOff): Promise<Outcome<Reply>> {
  const { queue, queueName, envelope } = attempt
  const outcome = await abandon<Reply>(parts, attempt)
  if (outcome) return outcome
  // No worker can commit the attempt any more. Removing its job from the queue, if it is alone in it, only
  // saves a worker the trouble.
  queue.remove(envelope.attempt).catch(() => undefined)
  throw notExecuted(queueName, 'There was no result in time')
}

async function abandon<Reply>({ receipts, log }: Parts, attempt: CalledOff) {
  const { queueName, envelope } = attempt
  try {
    return await receipts.abandon<Reply>(envelope.attempt)
  } catch (error) {
    const { attempt: id, requestId } = envelope
    if (isDiskFull(error) && (await isOver(attempt))) {
      const done = await receipts.find<Reply>(id).catch(() => Promise.reject(outcomeUnknown(queueName)))
      if (done) return done
      throw notExecuted(queueName, 'The disk of the database is full', 'database_full')
    }
    log.error({ err: error, attempt: id, requestId }, 'the outcome of the attempt is unknown')
    throw outcomeUnknown(queueName)
  }
}

// Another worker may have taken the attempt over before the first one declined: then the job has not ended.
async function isOver({ queue, declinedJob }: CalledOff): Promise<boolean> {
  if (declinedJob === undefined) return false
  const endMs = Date.now() + ENDED_MS_MAX
  while (Date.now() < endMs) {
    // A missing job does not count: Redis has lost it, but a worker may have it.
    if (['completed', 'failed'].includes(await stateOf(queue, declinedJob))) return true
    await wait(POLL_EVERY_MS)
  }
  return false
}

// All attempts of a batch ask about the same job at the same moment.
const looks = new FreshSingleFlight<string>()

const stateOf = (queue: Queue, jobId: string) =>
  looks.ask(jobId, () => queue.getJobState(jobId).catch(() => ''))

export async function isMissing(queue: Queue, jobId: string): Promise<boolean> {
  return (await stateOf(queue, jobId)) === 'unknown'
}

/** ioredis refused the command before it left, or Redis itself did; any other command may have arrived. */
export function wasNeverSent(error: unknown): boolean {
  const { name, message } = error as Error
  return name === 'ReplyError' || message.startsWith("Stream isn't writeable")
}

const OVER_AFTER_MS = 10_000

/** Returns a function that refuses jobs that their queue did not take; the reason is logged once. */
export function jobRefuser(log: Log): (queueName: QueueName, error: unknown) => Refusal {
  const faults = new FaultLog(log, 'jobs are no longer refused by their queues', OVER_AFTER_MS)
  return (queueName, error) => {
    faults.fault(error, 'a job was refused by its queue')
    const noun = WORK_NOUNS[queueName]
    return unavailable('queue_refused', message`The ${noun} queue is unavailable. Nothing was changed.`)
  }
}

export function notExecuted(queueName: QueueName, why: string, reason?: UnavailableReason): Refusal {
  return new Refusal(
    'not_executed',
    message`${why}, so the ${WORK_NOUNS[queueName]} was called off: nothing was changed, and nothing will be.`,
    reason === undefined ? {} : { reason },
  )
}

export function outcomeUnknown(queueName: QueueName): Refusal {
  return new Refusal(
    'outcome_unknown',
    message`It is unknown whether the ${WORK_NOUNS[queueName]} was done. Repeat it with the same Idempotency-Key to find out.`,
  )
}
