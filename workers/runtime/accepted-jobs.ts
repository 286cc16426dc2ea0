// Jobs accepted with 202. Their row in `jobs` holds their progress and survives the loss of all of Redis.
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import { onlyRow } from '../../shared/database/database.ts'
import { isDatabaseUnavailable } from '../../shared/database/faults.ts'
import { isSameDatabase } from '../../shared/identity/identity.ts'
import { erasedKey } from '../../shared/jobs/idempotency.ts'
import {
  ACCEPTED_WAIT_MS,
  type AcceptedJobName,
  type Envelope,
  type InputOf,
  isAcceptedJobName,
  jobs,
  type Outcome,
} from '../../shared/jobs/jobs.ts'
import { field, message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import { type Progress, percentOf } from '../../shared/schemas/progress.ts'
import type { Ability } from '../../shared/tokens/token-store.ts'
import { CLOCK_SQL } from '../../shared/utilities/clock.ts'
import { instantOf } from '../../shared/utilities/date-times.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { rawConnection } from './connection.ts'
import { deleteFailedReceipt, endUnlessDone, FAILED } from './receipts.ts'
import { refusedOutcome } from './refusals.ts'
import type { Transaction, WorkContext } from './write.ts'

const LOCK_TIMEOUT_MS = 1_000

/**
 * Runs in the transaction of the work itself, so the row says done exactly when the work is. Then deletes the
 * upload, except for a plan that waits to be applied, and after an internal error, which may be retried.
 */
export async function finishJob(trx: Transaction, attempt: string, outcome: Outcome): Promise<void> {
  const isFailed = outcome.refused !== undefined
  // A file that is not an import file never becomes one; after an internal error the file may be read again.
  const isRefusedForGood = isFailed && outcome.status < 500
  await trx.raw(
    `UPDATE jobs SET state = ?, progress = CASE WHEN ? THEN progress ELSE 100 END, outcome = ?, finished_at = clock_timestamp(),
       file_id = (SELECT id FROM files WHERE attempt = jobs.id AND completed_at IS NOT NULL)
     WHERE id = ? AND finished_at IS NULL`,
    [isFailed ? 'failed' : 'done', isFailed, JSON.stringify(outcome), attempt],
  )
  // An internal error does not use up the idempotency key: a repeat runs the job again.
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

/** Returns the outcome of a finished job. The row outlives the receipt. */
export async function findFinished(trx: Transaction, attempt: string): Promise<Outcome | undefined> {
  const { rows } = await trx.raw('SELECT outcome FROM jobs WHERE id = ? AND finished_at IS NOT NULL', [
    attempt,
  ])
  return rows[0]?.outcome
}

/** Resets a job that failed with an internal error and is retried, as if it had just been accepted. */
export async function reopen(database: Knex, attempt: string): Promise<void> {
  await database.transaction(async (trx) => {
    await deleteFailedReceipt(trx, attempt)
    await trx.raw(
      "UPDATE files SET readers = '{}' FROM jobs WHERE jobs.id = ? AND files.id = jobs.import_file_id",
      [attempt],
    )
    // The part of an export that it had already written.
    await trx.raw('DELETE FROM files WHERE attempt = ?', [attempt])
    await trx.raw(
      `UPDATE jobs SET state = 'queued', progress = 0, phase = NULL, rows_read = NULL, outcome = NULL, file_id = NULL,
         finished_at = NULL
       WHERE id = ? AND ${FAILED}`,
      [attempt],
    )
  })
}

/** Runs outside the transaction and never blocks it: the progress is only for display. */
export function noteProgress(database: Knex, attempt: string, progress: Progress, log: Log): void {
  database
    .raw(
      // Two of these may arrive in the wrong order.
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

/** Accepts a job in the transaction of the write that needs it. The waiting gateway or upkeep queues it. */
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

/** Requeues accepted jobs that Redis has lost. Adding a job twice does nothing. */
export async function requeueAccepted(
  database: Knex,
  /** The database identity that jobs carry. */
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
    // A row in this database belongs to this database, even if the database has moved since.
    const job = { ...row, envelope: { ...envelope, database: identity } }
    // A failing job must not keep the others from being requeued.
    await requeue(database, queueOf, job, log).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error
      log.warn({ err: error, attempt: job.id, job: job.name }, 'an accepted job could not be requeued')
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
  // Anybody who can write to the table could insert any job name.
  if (!isAcceptedJobName(name)) return endAccepted(database, id, lost)
  const queue = queueOf(jobs[name].queue)
  await removeDeclined(queue, envelope)
  const state = await queue.getJobState(id)
  // It ended in the queue without an outcome: its deadline had passed, or it crashed its workers.
  if (state === 'failed' || state === 'completed') await endAccepted(database, id, lost)
  if (state !== 'unknown') return
  log.warn({ attempt: id, job: name }, 'an accepted job was in no queue; queued it again')
  await queue.add(name, envelope, { jobId: id })
}

// The database has moved since the job was queued, so its workers declined the job.
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
    // A worker that was wrongly taken for dead may still be working on it for minutes. What it commits is the
    // truth, and it finishes the job itself. The next upkeep looks again.
    await trx.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    const done = await endUnlessDone(await rawConnection(trx), id, outcome)
    await finishJob(trx, id, done ?? outcome)
  })
}
