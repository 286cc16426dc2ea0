// Calls an attempt off, so that no worker carries it out: by a mark in Postgres. A Postgres with a full disk
// takes no mark; then it is proof enough that a worker has declined the attempt and its job has ended.
import { setTimeout as wait } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import { isDiskFull } from '../../shared/database/faults.ts'
import type { Envelope, Outcome } from '../../shared/jobs/jobs.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { hasEnded } from './queue-answers.ts'
import type { Receipts } from './receipts.ts'
import { notExecuted, outcomeUnknown } from './refusals.ts'

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
    if (await hasEnded(queue, declinedJob)) return true
    await wait(POLL_EVERY_MS)
  }
  return false
}
