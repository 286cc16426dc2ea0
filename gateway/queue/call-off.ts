// Cancels an attempt with a mark in Postgres, so that no worker carries it out. If the disk of Postgres is
// full, the mark cannot be written. The attempt then counts as cancelled once a worker has declined it and
// its job has ended.
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
import { serviceUnavailable } from '../overload/refusals.ts'
import { WORK_NOUNS } from './queue-monitor.ts'
import type { Receipts } from './receipts.ts'

type CallOffServices = { receipts: Receipts; log: Log }
type AttemptToCallOff = {
  queue: Queue
  queueName: QueueName
  envelope: Envelope
  /** The id of the job in which a worker declined the attempt. */
  declinedJob?: string | undefined
}

// How long to wait for the job to end. A worker first reports that it declines, and then ends its job.
const JOB_END_WAIT_MS_MAX = 1_000
const POLL_EVERY_MS = 25

/** Cancels an attempt. Returns the attempt's outcome if a worker has already completed it. */
export async function callOffAttempt<Reply>(
  parts: CallOffServices,
  attempt: AttemptToCallOff,
): Promise<Outcome<Reply>> {
  const { queue, queueName, envelope } = attempt
  const outcome = await markCalledOff<Reply>(parts, attempt)
  if (outcome) return outcome
  // No worker can commit the attempt any more. Removes the job from the queue if it contains only this attempt, which
  // merely saves a worker the trouble.
  queue.remove(envelope.attempt).catch(() => undefined)
  throw createNotExecutedRefusal(queueName, 'There was no result in time')
}

async function markCalledOff<Reply>({ receipts, log }: CallOffServices, attempt: AttemptToCallOff) {
  const { queueName, envelope } = attempt
  try {
    return await receipts.abandon<Reply>(envelope.attempt)
  } catch (error) {
    const { attempt: id, requestId } = envelope
    if (isDiskFull(error) && (await hasJobEnded(attempt))) {
      const done = await receipts
        .find<Reply>(id)
        .catch(() => Promise.reject(createOutcomeUnknownRefusal(queueName)))
      if (done) return done
      throw createNotExecutedRefusal(queueName, 'The disk of the database is full', 'database_full')
    }
    log.error({ err: error, attempt: id, requestId }, 'the outcome of the attempt is unknown')
    throw createOutcomeUnknownRefusal(queueName)
  }
}

// Returns whether the declined attempt's job has ended. The job still runs if another worker took the attempt
// over before the first one declined.
async function hasJobEnded({ queue, declinedJob }: AttemptToCallOff): Promise<boolean> {
  if (declinedJob === undefined) return false
  const endMs = Date.now() + JOB_END_WAIT_MS_MAX
  while (Date.now() < endMs) {
    // A missing job does not count as ended: Redis may have lost a job that a worker is performing.
    if (['completed', 'failed'].includes(await findJobState(queue, declinedJob))) return true
    await wait(POLL_EVERY_MS)
  }
  return false
}

// Shares look-ups, because all attempts of a batch ask about the same job at the same moment.
const jobStateLookups = new FreshSingleFlight<string>()

const findJobState = (queue: Queue, jobId: string) =>
  jobStateLookups.ask(jobId, () => queue.getJobState(jobId).catch(() => ''))

export async function isJobMissing(queue: Queue, jobId: string): Promise<boolean> {
  return (await findJobState(queue, jobId)) === 'unknown'
}

/**
 * Returns true if ioredis refused the command before sending it, or if Redis itself refused it. Any other command may
 * have taken effect.
 */
export function wasNeverQueued(error: unknown): boolean {
  const { name, message } = error as Error
  return name === 'ReplyError' || message.startsWith("Stream isn't writeable")
}

const FAULT_OVER_AFTER_MS = 10_000

/** Returns a function that refuses jobs that could not be queued. The function logs each reason once. */
export function createJobRefuser(log: Log): (queueName: QueueName, error: unknown) => Refusal {
  const faults = new FaultLog(log, 'jobs are no longer refused by their queues', FAULT_OVER_AFTER_MS)
  return (queueName, error) => {
    faults.fault(error, 'a job was refused by its queue')
    const noun = WORK_NOUNS[queueName]
    return serviceUnavailable(
      'queue_refused',
      message`The ${noun} queue is unavailable. Nothing was changed.`,
    )
  }
}

export function createNotExecutedRefusal(
  queueName: QueueName,
  why: string,
  reason?: UnavailableReason,
): Refusal {
  return new Refusal(
    'not_executed',
    message`${why}, so the ${WORK_NOUNS[queueName]} was called off: nothing was changed, and nothing will be.`,
    reason === undefined ? {} : { reason },
  )
}

export function createOutcomeUnknownRefusal(queueName: QueueName): Refusal {
  return new Refusal(
    'outcome_unknown',
    message`It is unknown whether the ${WORK_NOUNS[queueName]} was done. Repeat it with the same Idempotency-Key to find out.`,
  )
}
