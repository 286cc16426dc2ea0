// What a gateway asks through each queue to know that writes work: a worker takes it, may write to its database, and
// answers. Nothing of it stays, and it counts as no work.
import { DelayedError, type Job } from 'bullmq'
import type { Envelope, Outcome } from '../shared/jobs.ts'
import { message } from '../shared/messages/message.ts'
import { Refusal } from '../shared/refusal.ts'
import { rawConnection } from './connection.ts'
import type { Tools } from './delivery/attempts.ts'
import { readAttempt } from './delivery/payloads.ts'
import { decline, reply } from './delivery/replies.ts'
import { refusedOutcome } from './outcomes.ts'
import { claimAttempts } from './receipts.ts'

// The gateway removes it once it has its answer. Where that has gone, the job comes back, and ends.
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
  // BullMQ's word for: it has been moved.
  throw new DelayedError()
}

function outcomeOf(fault: unknown, envelope: Envelope): Outcome {
  if (!fault) return { status: 204, body: null }
  return refusedOutcome(new Refusal('unavailable', message`The database is unavailable.`), envelope)
}

/** As a write begins; returns what is wrong, if anything. */
async function tryToWrite(attempt: string, { database }: Tools): Promise<unknown> {
  try {
    const trx = await database.transaction()
    try {
      const connection = await rawConnection(trx)
      await claimAttempts(connection, [attempt])
      await connection.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS_MAX}`)
      // As an INSERT locks it: whoever keeps every booking waiting keeps this waiting too.
      await connection.query('LOCK TABLE bookings IN ROW EXCLUSIVE MODE')
    } finally {
      await trx.rollback()
    }
    return undefined
  } catch (error) {
    return error
  }
}
