// Manages accepted jobs, which gateways answer with 202. The row of a job in `jobs` contains its progress and survives
// the loss of all Redis data.
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import { getOnlyRow } from '../../shared/database/database.ts'
import { isDatabaseUnavailable } from '../../shared/database/faults.ts'
import { isSameDatabase } from '../../shared/identity/identity.ts'
import { erasedKeySql } from '../../shared/jobs/idempotency.ts'
import {
  ACCEPTED_WAIT_MS,
  type AcceptedJobName,
  type Envelope,
  type InputOf,
  isAcceptedJobName,
  jobs,
  type Outcome,
} from '../../shared/jobs/jobs.ts'
import { fieldName, message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import { computePercent, type Progress } from '../../shared/schemas/progress.ts'
import type { Ability } from '../../shared/tokens/token-store.ts'
import { CLOCK_SQL } from '../../shared/utilities/clock.ts'
import { formatInstant } from '../../shared/utilities/date-times.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { getConnection } from './connection.ts'
import { deleteFailedReceipt, endAttemptUnlessDone, HAS_FAILED_SQL } from './receipts.ts'
import { createRefusedOutcome } from './refusals.ts'
import type { Transaction, WorkContext } from './write.ts'

const LOCK_TIMEOUT_MS = 1_000

/**
 * Marks a job as finished, in the transaction of its work, so that both are committed together. Then deletes the
 * upload, with two exceptions: it belongs to a plan that waits to be applied, or the job failed with an internal error
 * and may be retried.
 */
export async function finishJob(trx: Transaction, attempt: string, outcome: Outcome): Promise<void> {
  const isFailed = outcome.refused !== undefined
  // A refused file would be refused again, so it is deleted. After an internal error, a retry may read the
  // file again.
  const isRefusedForGood = isFailed && outcome.status < 500
  await trx.raw(
    `UPDATE jobs SET state = ?, progress = CASE WHEN ? THEN progress ELSE 100 END, outcome = ?, finished_at = clock_timestamp(),
       file_id = (SELECT id FROM files WHERE attempt = jobs.id AND completed_at IS NOT NULL)
     WHERE id = ? AND finished_at IS NULL`,
    [isFailed ? 'failed' : 'done', isFailed, JSON.stringify(outcome), attempt],
  )
  // An internal error does not use up the idempotency key: a repeated request runs the job again.
  if (outcome.status >= 500) await freeIdempotencyKey(trx, attempt)
  if (outcome.refused === 'internal_error') return
  await trx.raw(
    `DELETE FROM files USING jobs
     WHERE jobs.id = ? AND files.id = jobs.import_file_id
       AND (? OR jobs.name = 'users.import')`,
    [attempt, isRefusedForGood],
  )
}

async function freeIdempotencyKey(trx: Transaction, attempt: string): Promise<void> {
  await trx.raw(
    `DELETE FROM idempotency_keys USING jobs
     WHERE jobs.id = ? AND idempotency_keys.scope = jobs.envelope #>> '{idempotency,scope}'
       AND idempotency_keys.key IN (
         jobs.envelope #>> '{idempotency,key}', ${erasedKeySql("jobs.envelope #>> '{idempotency,key}'")})`,
    [attempt],
  )
}

/** Returns the outcome of a finished job from its row, which is kept longer than the receipt. */
export async function findFinishedOutcome(trx: Transaction, attempt: string): Promise<Outcome | undefined> {
  const { rows } = await trx.raw('SELECT outcome FROM jobs WHERE id = ? AND finished_at IS NOT NULL', [
    attempt,
  ])
  return rows[0]?.outcome
}

/**
 * Resets a job that somebody retries after an internal error, as if it had just been accepted. Deletes the files that
 * the job wrote.
 */
export async function reopenJob(database: Knex, attempt: string): Promise<void> {
  await database.transaction(async (trx) => {
    await deleteFailedReceipt(trx, attempt)
    await trx.raw(
      "UPDATE files SET readers = '{}' FROM jobs WHERE jobs.id = ? AND files.id = jobs.import_file_id",
      [attempt],
    )
    // Deletes the part of an export that the failed job has written.
    await trx.raw('DELETE FROM files WHERE attempt = ?', [attempt])
    await trx.raw(
      `UPDATE jobs SET state = 'queued', progress = 0, phase = NULL, rows_read = NULL, outcome = NULL, file_id = NULL,
         finished_at = NULL
       WHERE id = ? AND ${HAS_FAILED_SQL}`,
      [attempt],
    )
  })
}

/**
 * Stores the progress of a job. Runs outside the transaction of the job and never blocks it, because the progress is
 * only for display.
 */
export function recordProgress(database: Knex, attempt: string, progress: Progress, log: Log): void {
  database
    .raw(
      // Two progress updates may arrive in the wrong order, so an older one changes nothing.
      `UPDATE jobs SET state = 'running', progress = :percent, phase = :phase, rows_read = coalesce(:rows, rows_read)
       WHERE id = :attempt AND finished_at IS NULL AND progress <= :percent`,
      {
        attempt,
        percent: computePercent(progress),
        phase: progress.phase,
        rows: 'rows' in progress ? (progress.rows ?? null) : null,
      },
    )
    .then(
      () => undefined,
      (error: unknown) => log.debug({ err: error }, 'progress could not be stored'),
    )
}

type JobToAccept<Name extends AcceptedJobName> = { id: string; input: InputOf<Name>; ability: Ability }

/**
 * Accepts a job in the transaction of the write that needs it. The waiting gateway or upkeep puts the job into its
 * queue.
 */
export async function acceptJob<Name extends AcceptedJobName>(
  trx: Transaction,
  name: Name,
  { id, input, ability }: JobToAccept<Name>,
  { actor, requestId, baseUrl, identity }: WorkContext,
): Promise<void> {
  const { ms } = getOnlyRow<{ ms: number }>((await trx.raw(CLOCK_SQL)).rows)
  const times = { receivedAt: formatInstant(Math.ceil(ms)), deadlineMs: ms + ACCEPTED_WAIT_MS }
  const own = { attempt: id, database: identity, input, actor, requestId, baseUrl, ...times }
  const envelope: Envelope = { ...own, replyTo: null, accepted: true, idempotency: null }
  await trx.raw(
    'INSERT INTO jobs (id, name, ability, admin_id, actor_name, envelope) VALUES (?, ?, ?, ?, ?, ?)',
    [id, name, ability, actor.type === 'admin' ? actor.id : null, actor.name, JSON.stringify(envelope)],
  )
}

type UnfinishedJob = { id: string; name: string; envelope: Envelope; isCalledOff: boolean }

/** Requeues accepted jobs that Redis has lost. Adding a job to a queue that already contains it does nothing. */
export async function requeueAcceptedJobs(
  database: Knex,
  /** The identity of the database, as jobs contain it. */
  identity: string,
  queueOf: (name: QueueName) => Queue,
  log: Log,
): Promise<void> {
  const { rows } = await database.raw(
    `SELECT jobs.id, jobs.name, jobs.envelope, receipts.abandoned_at IS NOT NULL AS "isCalledOff"
     FROM jobs LEFT JOIN receipts ON receipts.attempt = jobs.id
     WHERE jobs.finished_at IS NULL AND jobs.created_at < now() - interval '15 seconds'`,
  )
  for (const { envelope, ...row } of rows as UnfinishedJob[]) {
    // A row in this database belongs to this database, even if the database has been moved since the job was
    // accepted.
    const job = { ...row, envelope: { ...envelope, database: identity } }
    // A fault with one job must not prevent other jobs from being requeued.
    await requeueJob(database, queueOf, job, log).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error
      log.warn({ err: error, attempt: job.id, job: job.name }, 'an accepted job could not be requeued')
    })
  }
}

async function requeueJob(
  database: Knex,
  queueOf: (name: QueueName) => Queue,
  { id, name, envelope, isCalledOff }: UnfinishedJob,
  log: Log,
): Promise<void> {
  if (isCalledOff)
    return endAcceptedJob(database, id, createRefusedOutcome(createCalledOffOutcome(), envelope))
  const lost = createRefusedOutcome(createUnfinishedRefusal(), envelope)
  // Anybody who can write to the table can insert any job name, so this function ends a job with an unknown
  // name.
  if (!isAcceptedJobName(name)) return endAcceptedJob(database, id, lost)
  const queue = queueOf(jobs[name].queue)
  await removeDeclinedJob(queue, envelope)
  const state = await queue.getJobState(id)
  // The job ended in the queue without an outcome, because its deadline had passed or it crashed its workers.
  if (state === 'failed' || state === 'completed') await endAcceptedJob(database, id, lost)
  if (state !== 'unknown') return
  log.warn({ attempt: id, job: name }, 'an accepted job was in no queue; queued it again')
  await queue.add(name, envelope, { jobId: id })
}

// Removes a job from the queue that workers declined because the database was moved after the job was queued.
async function removeDeclinedJob(queue: Queue, { attempt, database }: Envelope): Promise<void> {
  const job = await queue.getJob(attempt)
  const { database: queuedFor } = (job?.data ?? {}) as { database?: unknown }
  if (typeof queuedFor !== 'string' || isSameDatabase(queuedFor, database)) return
  if (await job?.isFailed()) await job?.remove()
}

const createUnfinishedRefusal = () =>
  new Refusal(
    'internal_error',
    message`The job could not be finished. The log has the details under this ${fieldName('request_id')}.`,
  )

const createCalledOffOutcome = () =>
  new Refusal('not_executed', message`The job was called off: nothing was changed, and nothing will be.`)

async function endAcceptedJob(database: Knex, id: string, outcome: Outcome): Promise<void> {
  await database.transaction(async (trx) => {
    // A worker that was wrongly taken for dead may still be working on the job for minutes. If it commits, its outcome
    // counts, and it finishes the job itself. The next upkeep run checks again.
    await trx.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    const done = await endAttemptUnlessDone(await getConnection(trx), id, outcome)
    await finishJob(trx, id, done ?? outcome)
  })
}
