// Answers probes. A gateway sends a probe through each queue to find out whether writes work: a worker takes the probe,
// checks that it can write to its database, and answers. A probe stores nothing and does not count as work.
import { DelayedError, type Job } from 'bullmq'
import type { Envelope, Outcome } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import type { AttemptTools } from '../runtime/attempts.ts'
import { getConnection } from '../runtime/connection.ts'
import { readAttempt } from '../runtime/payloads.ts'
import { insertReceipts } from '../runtime/receipts.ts'
import { createRefusedOutcome } from '../runtime/refusals.ts'
import { sendDeclined, sendReply } from '../runtime/replies.ts'

// The delay after which the probe runs again. Normally the gateway removes the probe before that, once it has the
// answer. If the gateway is gone, the probe ends when it runs again.
const PROBE_DELAY_MS = 60_000
// The limit on how long a probe waits for a lock. Must be shorter than the time for which the gateway waits for the
// answer.
const LOCK_WAIT_MS_MAX = 700

export async function answerProbe(job: Job, token: string | undefined, tools: AttemptTools): Promise<void> {
  const envelope = readAttempt(job)
  if (!envelope || job.attemptsStarted > 1) return
  const isOwn = tools.identity.isOwn(envelope.database)
  const fault = isOwn ? await tryWriting(envelope.attempt, tools) : undefined
  await job.moveToDelayed(Date.now() + PROBE_DELAY_MS, token)
  if (fault) tools.log.warn({ err: fault }, 'a probe could not write')
  if (isOwn)
    await sendReply(tools.redis, [{ envelope, outcome: createProbeOutcome(fault, envelope) }], tools.log)
  else await sendDeclined(tools.redis, envelope, tools.log)
  // This error tells BullMQ that the job has been moved.
  throw new DelayedError()
}

function createProbeOutcome(fault: unknown, envelope: Envelope): Outcome {
  if (!fault) return { status: 204, body: null }
  return createRefusedOutcome(new Refusal('unavailable', message`The database is unavailable.`), envelope)
}

/** Performs the first steps of a write. Returns the error if a step fails. */
async function tryWriting(attempt: string, { database }: AttemptTools): Promise<unknown> {
  try {
    const trx = await database.transaction()
    try {
      const connection = await getConnection(trx)
      await insertReceipts(connection, [attempt])
      await connection.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS_MAX}`)
      // Requests the same lock as an INSERT, so that the probe notices a lock that blocks every booking.
      await connection.query('LOCK TABLE bookings IN ROW EXCLUSIVE MODE')
    } finally {
      await trx.rollback()
    }
    return undefined
  } catch (error) {
    return error
  }
}
