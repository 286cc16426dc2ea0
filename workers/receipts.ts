// Receipts as a worker sees them: the first statement of a write's transaction claims the attempt, the last one
// stores its outcome. So a job that is delivered twice acts once, and one that was called off never.
import type { Knex } from 'knex'
import { onlyRow } from '../shared/database.ts'
import type { Outcome } from '../shared/jobs.ts'
import type { Transaction } from './context.ts'

/** Of receipts and of jobs: it ended with a fault of ours, and nothing of it was done. */
export const FAILED = "outcome ->> 'refused' = 'internal_error'"

export type Claim = { state: 'ours' } | { state: 'done'; outcome: Outcome } | { state: 'abandoned' }

/** Waits for another delivery of the same attempt that is under way, and then finds what became of it. */
export async function claimAttempt(trx: Transaction, attempt: string): Promise<Claim> {
  const inserted = await trx.raw('INSERT INTO receipts (attempt) VALUES (?) ON CONFLICT DO NOTHING', [
    attempt,
  ])
  if (inserted.rowCount === 1) return { state: 'ours' }
  // A statement of its own: one that did both would not see a row that was committed while it waited.
  const found = await trx.raw('SELECT outcome FROM receipts WHERE attempt = ?', [attempt])
  const { outcome } = onlyRow<{ outcome: Outcome | null }>(found.rows)
  return outcome ? { state: 'done', outcome } : { state: 'abandoned' }
}

export async function storeOutcome(trx: Transaction, attempt: string, outcome: Outcome): Promise<void> {
  await trx.raw('UPDATE receipts SET outcome = ? WHERE attempt = ?', [JSON.stringify(outcome), attempt])
}

/** It ended with a fault of ours, of which its caller was told. */
export async function hasFailed(database: Knex, attempt: string): Promise<boolean> {
  const { rowCount } = await database.raw(`SELECT 1 FROM receipts WHERE attempt = ? AND ${FAILED}`, [attempt])
  return rowCount === 1
}

/** The fault undid all that was done: the attempt may be made once more. */
export async function forgetFailure(trx: Transaction, attempt: string): Promise<void> {
  await trx.raw(`DELETE FROM receipts WHERE attempt = ? AND ${FAILED}`, [attempt])
}
