// Receipts: the first statement of a write's transaction inserts them, the last one stores their outcomes. So a job
// that is delivered twice takes effect once, and one that was called off never does.
import type { Knex } from 'knex'
import type { Outcome } from '../../shared/jobs/jobs.ts'
import type { Connection } from './connection.ts'
import type { Transaction } from './write.ts'

/** SQL for receipts and jobs: ended with an internal error, and nothing was done. */
export const FAILED = "outcome ->> 'refused' = 'internal_error'"

type Receipt = { state: 'ours' } | { state: 'done'; outcome: Outcome } | { state: 'abandoned' }

/** In the order of the attempts. Waits for other deliveries of them, then returns their outcomes. */
export async function insertReceipts(connection: Connection, attempts: string[]): Promise<Receipt[]> {
  const inserted = await connection.query<{ attempt: string }>({
    name: 'claim-attempts',
    text: `INSERT INTO receipts (attempt) SELECT unnest($1::uuid[])
           ON CONFLICT DO NOTHING RETURNING attempt`,
    values: [attempts],
  })
  if (inserted.rowCount === attempts.length) return attempts.map(() => ({ state: 'ours' }))
  // A separate statement: a combined one would not see rows that were committed while it waited.
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

/** Deletes the receipts of attempts that go on in another transaction, which inserts them again. */
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

/** Ends an attempt without doing it. Returns the outcome if another delivery was faster. */
export async function endUnlessDone(connection: Connection, attempt: string, outcome: Outcome) {
  const [receipt] = await insertReceipts(connection, [attempt])
  if (receipt?.state === 'done') return receipt.outcome
  if (receipt?.state === 'ours') await saveReceiptOutcomes(connection, [{ attempt, outcome }])
  return undefined
}

/** Whether it ended with an internal error that was reported to its caller. */
export async function hasFailed(database: Knex, attempt: string): Promise<boolean> {
  const { rowCount } = await database.raw(`SELECT 1 FROM receipts WHERE attempt = ? AND ${FAILED}`, [attempt])
  return rowCount === 1
}

/** The internal error undid everything, so the attempt may be made again. */
export async function deleteFailedReceipt(trx: Transaction, attempt: string): Promise<void> {
  await trx.raw(`DELETE FROM receipts WHERE attempt = ? AND ${FAILED}`, [attempt])
}
