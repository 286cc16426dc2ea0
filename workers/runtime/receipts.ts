// Stores receipts. The first statement in a write's transaction inserts the receipts, and the last one stores the
// outcomes in them. So a job that is delivered twice takes effect only once, and an abandoned one never does.
import type { Knex } from 'knex'
import type { Outcome } from '../../shared/jobs/jobs.ts'
import type { Connection } from './connection.ts'
import type { Transaction } from './write.ts'

/** SQL condition that the receipt or job ended with an internal error, so that nothing was done. */
export const HAS_FAILED_SQL = "outcome ->> 'refused' = 'internal_error'"

type Receipt = { state: 'ours' } | { state: 'done'; outcome: Outcome } | { state: 'abandoned' }

/**
 * Inserts receipts. Waits until other deliveries of the same attempts have ended, and then returns their outcomes, in
 * the order of the attempts.
 */
export async function insertReceipts(connection: Connection, attempts: string[]): Promise<Receipt[]> {
  const inserted = await connection.query<{ attempt: string }>({
    name: 'claim-attempts',
    // Inserts receipts in the order of their ids, so that transactions that contain the same attempts do not deadlock.
    text: `INSERT INTO receipts (attempt) SELECT attempt FROM unnest($1::uuid[]) AS attempt ORDER BY attempt
           ON CONFLICT DO NOTHING RETURNING attempt`,
    values: [attempts],
  })
  if (inserted.rowCount === attempts.length) return attempts.map(() => ({ state: 'ours' }))
  // Reading is a separate statement, because a combined statement would not see rows that others commit while
  // it waits.
  const found = await connection.query<{ attempt: string; outcome: Outcome | null }>({
    name: 'find-outcomes',
    text: 'SELECT attempt, outcome FROM receipts WHERE attempt = ANY($1::uuid[])',
    values: [attempts],
  })
  const ours = new Set(inserted.rows.map(({ attempt }) => attempt))
  const outcomes = new Map(found.rows.map(({ attempt, outcome }) => [attempt, outcome]))
  return attempts.map((attempt) => {
    if (ours.has(attempt)) return { state: 'ours' }
    const outcome = outcomes.get(attempt)
    return outcome ? { state: 'done', outcome } : { state: 'abandoned' }
  })
}

/** Deletes the receipts of attempts that continue in another transaction, which inserts these receipts again. */
export async function deleteReceipts(connection: Connection, attempts: string[]): Promise<void> {
  if (attempts.length === 0) return
  await connection.query({
    name: 'withdraw-claims',
    text: 'DELETE FROM receipts WHERE attempt = ANY($1::uuid[])',
    values: [attempts],
  })
}

export async function saveReceiptOutcomes(
  connection: Connection,
  decisions: Array<{ attempt: string; outcome: Outcome }>,
): Promise<void> {
  if (decisions.length === 0) return
  await connection.query({
    name: 'store-outcomes',
    text: `UPDATE receipts SET outcome = decided.outcome::json
           FROM unnest($1::uuid[], $2::text[]) AS decided (attempt, outcome)
           WHERE receipts.attempt = decided.attempt`,
    values: [
      decisions.map(({ attempt }) => attempt),
      decisions.map(({ outcome }) => JSON.stringify(outcome)),
    ],
  })
}

/** Ends an attempt without performing it. If another delivery was faster, returns its outcome. */
export async function endAttemptUnlessDone(connection: Connection, attempt: string, outcome: Outcome) {
  const [receipt] = await insertReceipts(connection, [attempt])
  if (receipt?.state === 'done') return receipt.outcome
  if (receipt?.state === 'ours') await saveReceiptOutcomes(connection, [{ attempt, outcome }])
  return undefined
}

/** Returns whether the attempt ended with an internal error and its caller has been told. */
export async function hasFailed(database: Knex, attempt: string): Promise<boolean> {
  const { rowCount } = await database.raw(`SELECT 1 FROM receipts WHERE attempt = ? AND ${HAS_FAILED_SQL}`, [
    attempt,
  ])
  return rowCount === 1
}

/** Deletes the receipt of a failed attempt. The internal error undid everything, so the attempt may run again. */
export async function deleteFailedReceipt(trx: Transaction, attempt: string): Promise<void> {
  await trx.raw(`DELETE FROM receipts WHERE attempt = ? AND ${HAS_FAILED_SQL}`, [attempt])
}
