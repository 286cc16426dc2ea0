// A gateway sends a probe through each queue to find out whether writes work: a worker takes it, checks that
// it can write to its database, and answers. A probe stores nothing and does not count as work.
import { DelayedError, type Job } from 'bullmq'
import type { Envelope, Outcome } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import type { Tools } from '../runtime/attempts.ts'
import { rawConnection } from '../runtime/connection.ts'
import { readAttempt } from '../runtime/payloads.ts'
import { insertReceipts } from '../runtime/receipts.ts'
import { refusedOutcome } from '../runtime/refusals.ts'
import { decline, reply } from '../runtime/replies.ts'

// The gateway removes the job after the answer. If the gateway is gone, the job returns and ends.
const DELAY_MS = 60_000
// Shorter than the gateway waits for the answer.
const LOCK_WAIT_MS_MAX = 700

export async function answerProbe(job: Job, token: string | undefined, tools: Tools): Promise<void> {
  const envelope = readAttempt(job)
  if (!envelope || job.attemptsStarted > 1) return
  const isOwn = tools.identity.isOwn(envelope.database)
  const fault = isOwn ? await tryToWrite(envelope.attempt, tools) : undefined
  await job.moveToDelayed(Date.now() + DELAY_MS, token)
  if (fault) tools.log.warn({ err: fault }, 'a probe could not write')
  if (isOwn) await reply(tools.redis, [{ envelope, outcome: outcomeOf(fault, envelope) }], tools.log)
  else await decline(tools.redis, envelope, tools.log)
  // Tells BullMQ that the job has been moved.
  throw new DelayedError()
}

function outcomeOf(fault: unknown, envelope: Envelope): Outcome {
  if (!fault) return { status: 204, body: null }
  return refusedOutcome(new Refusal('unavailable', message`The database is unavailable.`), envelope)
}

/** Does what the beginning of a write does; returns the error, if any. */
async function tryToWrite(attempt: string, { database }: Tools): Promise<unknown> {
  try {
    const trx = await database.transaction()
    try {
      const connection = await rawConnection(trx)
      await insertReceipts(connection, [attempt])
      await connection.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS_MAX}`)
      // The lock that an INSERT takes: a lock that blocks every booking blocks the probe too.
      await connection.query('LOCK TABLE bookings IN ROW EXCLUSIVE MODE')
    } finally {
      await trx.rollback()
    }
    return undefined
  } catch (error) {
    return error
  }
}
