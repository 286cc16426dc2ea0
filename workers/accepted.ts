// Jobs that were accepted with 202: their row tells how far they are, and survives the loss of all of Redis.
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import type { QueueName } from '../shared/contracts/job.ts'
import { type Progress, percentOf } from '../shared/contracts/progress.ts'
import { type Envelope, type JobName, jobs, type Outcome } from '../shared/jobs.ts'
import type { Log } from '../shared/log.ts'
import { internalError } from '../shared/refusal.ts'
import type { Transaction } from './context.ts'
import { refusedOutcome } from './outcomes.ts'
import { claimAttempt, FAILED, forgetFailure, storeOutcome } from './receipts.ts'

/**
 * In the transaction of the work itself: it is done exactly when its row says so. Its upload is needed no longer, but for
 * a plan that waits to be applied, and where a fault of ours ended it: then it may be tried again.
 */
export async function finishJob(trx: Transaction, attempt: string, outcome: Outcome): Promise<void> {
  // What is no import file will be none again; after a fault it may be looked at once more.
  const isRefusedForGood = outcome.refused !== undefined && outcome.status < 500
  await trx.raw(
    `UPDATE jobs SET state = ?, progress = 100, outcome = ?, finished_at = clock_timestamp(),
       file_id = (SELECT id FROM files WHERE attempt = jobs.id AND completed_at IS NOT NULL)
     WHERE id = ? AND finished_at IS NULL`,
    [outcome.refused ? 'failed' : 'done', JSON.stringify(outcome), attempt],
  )
  if (outcome.refused === 'internal_error') return
  await trx.raw(
    `DELETE FROM files USING jobs
     WHERE jobs.id = ? AND files.id = jobs.import_file_id
       AND (? OR jobs.name = 'users.import')`,
    [attempt, isRefusedForGood],
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

type Unfinished = { id: string; name: JobName; envelope: Envelope }

/** What was accepted and is in no queue any more, because Redis lost it, is queued again; adding twice does nothing. */
export async function requeueAccepted(
  database: Knex,
  queueOf: (name: QueueName) => Queue,
  log: Log,
): Promise<void> {
  const { rows } = await database.raw(
    `SELECT id, name, envelope FROM jobs WHERE finished_at IS NULL AND created_at < now() - interval '15 seconds'`,
  )
  for (const { id, name, envelope } of rows as Unfinished[]) {
    const queue = queueOf(jobs[name].queue)
    const state = await queue.getJobState(id)
    if (state === 'failed' || state === 'completed') await failLost(database, id, envelope)
    if (state !== 'unknown') continue
    log.warn({ attempt: id, job: name }, 'an accepted job was in no queue; queued it again')
    await queue.add(name, envelope, { jobId: id })
  }
}

// It ended in the queue without an outcome: its deadline had passed, or it killed its workers.
async function failLost(database: Knex, id: string, envelope: Envelope): Promise<void> {
  const outcome = refusedOutcome(internalError('The job could not be finished.'), envelope)
  await database.transaction(async (trx) => {
    // A worker that was only taken for dead may still be at it: what it commits is the truth, and it finishes the job.
    const claim = await claimAttempt(trx, id)
    if (claim.state === 'ours') await storeOutcome(trx, id, outcome)
    await finishJob(trx, id, claim.state === 'done' ? claim.outcome : outcome)
  })
}
