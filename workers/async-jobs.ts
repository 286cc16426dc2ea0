// Jobs that were accepted with 202: their row tells how far they are, and survives the loss of all of Redis.
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import type { QueueName } from '../shared/contracts/job.ts'
import { type Progress, percentOf } from '../shared/contracts/progress.ts'
import { onlyRow } from '../shared/database.ts'
import { instantOf } from '../shared/date-times.ts'
import { isDatabaseUnavailable } from '../shared/faults.ts'
import { erasedKey } from '../shared/idempotency.ts'
import { isSameDatabase } from '../shared/identity/identity.ts'
import {
  ACCEPTED_WAIT_MS,
  type AcceptedJobName,
  type Envelope,
  type InputOf,
  isAcceptedJobName,
  jobs,
  type Outcome,
} from '../shared/jobs.ts'
import type { Log } from '../shared/log.ts'
import { field, message } from '../shared/messages/message.ts'
import { Refusal } from '../shared/refusal.ts'
import type { Ability } from '../shared/tokens.ts'
import { CLOCK_SQL } from '../shared/utilities/clock.ts'
import { rawConnection } from './connection.ts'
import type { Transaction, WorkContext } from './context.ts'
import { refusedOutcome } from './outcomes.ts'
import { FAILED, forgetFailure, storeUnlessDone } from './receipts.ts'

const LOCK_TIMEOUT_MS = 1_000

/**
 * In the transaction of the work itself: it is done exactly when its row says so. Its upload is needed no longer, but for
 * a plan that waits to be applied, and where a fault of ours ended it: then it may be tried again.
 */
export async function finishJob(trx: Transaction, attempt: string, outcome: Outcome): Promise<void> {
  const isFailed = outcome.refused !== undefined
  // What is no import file will be none again; after a fault it may be looked at once more.
  const isRefusedForGood = isFailed && outcome.status < 500
  await trx.raw(
    `UPDATE jobs SET state = ?, progress = CASE WHEN ? THEN progress ELSE 100 END, outcome = ?, finished_at = clock_timestamp(),
       file_id = (SELECT id FROM files WHERE attempt = jobs.id AND completed_at IS NOT NULL)
     WHERE id = ? AND finished_at IS NULL`,
    [isFailed ? 'failed' : 'done', isFailed, JSON.stringify(outcome), attempt],
  )
  // No key keeps a fault of ours: a repeat does it anew.
  if (outcome.status >= 500) await freeKey(trx, attempt)
  if (outcome.refused === 'internal_error') return
  await trx.raw(
    `DELETE FROM files USING jobs
     WHERE jobs.id = ? AND files.id = jobs.import_file_id
       AND (? OR jobs.name = 'users.import')`,
    [attempt, isRefusedForGood],
  )
}

async function freeKey(trx: Transaction, attempt: string): Promise<void> {
  await trx.raw(
    `DELETE FROM idempotency_keys USING jobs
     WHERE jobs.id = ? AND idempotency_keys.scope = jobs.envelope #>> '{idempotency,scope}'
       AND idempotency_keys.key IN (
         jobs.envelope #>> '{idempotency,key}', ${erasedKey("jobs.envelope #>> '{idempotency,key}'")})`,
    [attempt],
  )
}

/** What became of it, where it is over: its row outlives its receipt. */
export async function findFinished(trx: Transaction, attempt: string): Promise<Outcome | undefined> {
  const { rows } = await trx.raw('SELECT outcome FROM jobs WHERE id = ? AND finished_at IS NOT NULL', [
    attempt,
  ])
  return rows[0]?.outcome
}

/** For a job that failed by a fault of ours and is tried again: from here on it is as if it had just been accepted. */
export async function reopen(database: Knex, attempt: string): Promise<void> {
  await database.transaction(async (trx) => {
    await forgetFailure(trx, attempt)
    await trx.raw(
      "UPDATE files SET readers = '{}' FROM jobs WHERE jobs.id = ? AND files.id = jobs.import_file_id",
      [attempt],
    )
    // What it had written of an export.
    await trx.raw('DELETE FROM files WHERE attempt = ?', [attempt])
    await trx.raw(
      `UPDATE jobs SET state = 'queued', progress = 0, phase = NULL, rows_read = NULL, outcome = NULL, file_id = NULL,
         finished_at = NULL
       WHERE id = ? AND ${FAILED}`,
      [attempt],
    )
  })
}

/** Beside the transaction, and never in its way: a figure for whoever looks meanwhile. */
export function noteProgress(database: Knex, attempt: string, progress: Progress, log: Log): void {
  database
    .raw(
      // Two of them may come in the wrong order.
      `UPDATE jobs SET state = 'running', progress = :percent, phase = :phase, rows_read = coalesce(:rows, rows_read)
       WHERE id = :attempt AND finished_at IS NULL AND progress <= :percent`,
      {
        attempt,
        percent: percentOf(progress),
        phase: progress.phase,
        rows: 'rows' in progress ? (progress.rows ?? null) : null,
      },
    )
    .then(
      () => undefined,
      (error: unknown) => log.debug({ err: error }, 'progress could not be stored'),
    )
}

type Accepting<Name extends AcceptedJobName> = { id: string; input: InputOf<Name>; ability: Ability }

/** Accepts a job with the write that needs it, in its transaction. The gateway that waits queues it, or upkeep does. */
export async function acceptJob<Name extends AcceptedJobName>(
  trx: Transaction,
  name: Name,
  { id, input, ability }: Accepting<Name>,
  { actor, requestId, baseUrl, identity }: WorkContext,
): Promise<void> {
  const { ms } = onlyRow<{ ms: number }>((await trx.raw(CLOCK_SQL)).rows)
  const times = { receivedAt: instantOf(Math.ceil(ms)), deadlineMs: ms + ACCEPTED_WAIT_MS }
  const own = { attempt: id, database: identity, input, actor, requestId, baseUrl, ...times }
  const envelope: Envelope = { ...own, replyTo: null, accepted: true, idempotency: null }
  await trx.raw(
    'INSERT INTO jobs (id, name, ability, admin_id, actor_name, envelope) VALUES (?, ?, ?, ?, ?, ?)',
    [id, name, ability, actor.type === 'admin' ? actor.id : null, actor.name, JSON.stringify(envelope)],
  )
}

type Unfinished = { id: string; name: string; envelope: Envelope; isCalledOff: boolean }

/** What was accepted and is in no queue any more, because Redis lost it, is queued again; adding twice does nothing. */
export async function requeueAccepted(
  database: Knex,
  /** As a job says whose it is. */
  identity: string,
  queueOf: (name: QueueName) => Queue,
  log: Log,
): Promise<void> {
  const { rows } = await database.raw(
    `SELECT jobs.id, jobs.name, jobs.envelope, receipts.abandoned_at IS NOT NULL AS "isCalledOff"
     FROM jobs LEFT JOIN receipts ON receipts.attempt = jobs.id
     WHERE jobs.finished_at IS NULL AND jobs.created_at < now() - interval '15 seconds'`,
  )
  for (const { envelope, ...row } of rows as Unfinished[]) {
    // What stands in this database is of this database, though it may have had another place.
    const job = { ...row, envelope: { ...envelope, database: identity } }
    // One of them must not keep the others from being done.
    await requeue(database, queueOf, job, log).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error
      log.warn({ err: error, attempt: job.id, job: job.name }, 'an accepted job could not be looked after')
    })
  }
}

async function requeue(
  database: Knex,
  queueOf: (name: QueueName) => Queue,
  { id, name, envelope, isCalledOff }: Unfinished,
  log: Log,
): Promise<void> {
  if (isCalledOff) return endAccepted(database, id, refusedOutcome(calledOff(), envelope))
  const lost = refusedOutcome(unfinished(), envelope)
  // Whoever can write the table could name any job.
  if (!isAcceptedJobName(name)) return endAccepted(database, id, lost)
  const queue = queueOf(jobs[name].queue)
  await removeDeclined(queue, envelope)
  const state = await queue.getJobState(id)
  // It ended in the queue without an outcome: its deadline had passed, or it killed its workers.
  if (state === 'failed' || state === 'completed') await endAccepted(database, id, lost)
  if (state !== 'unknown') return
  log.warn({ attempt: id, job: name }, 'an accepted job was in no queue; queued it again')
  await queue.add(name, envelope, { jobId: id })
}

// The database has another place since it was queued: then its workers have not touched the job.
async function removeDeclined(queue: Queue, { attempt, database }: Envelope): Promise<void> {
  const job = await queue.getJob(attempt)
  const { database: queuedFor } = (job?.data ?? {}) as { database?: unknown }
  if (typeof queuedFor !== 'string' || isSameDatabase(queuedFor, database)) return
  if (await job?.isFailed()) await job?.remove()
}

const unfinished = () =>
  new Refusal(
    'internal_error',
    message`The job could not be finished. The log has the details under this ${field('request_id')}.`,
  )

const calledOff = () =>
  new Refusal('not_executed', message`The job was called off: nothing was changed, and nothing will be.`)

async function endAccepted(database: Knex, id: string, outcome: Outcome): Promise<void> {
  await database.transaction(async (trx) => {
    // A worker that was only taken for dead may still be at it, for minutes: what it commits is the truth, and it
    // finishes the job. The next upkeep looks again.
    await trx.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    const done = await storeUnlessDone(await rawConnection(trx), id, outcome)
    await finishJob(trx, id, done ?? outcome)
  })
}
