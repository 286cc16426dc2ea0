// Receipts as a worker sees them: the first statement of a write's transaction claims its attempts, the last one stores
// their outcomes. So a job that is delivered twice acts once, and one that was called off never.
import type { Knex } from 'knex'
import type { Envelope, Outcome } from '../shared/jobs.ts'
import type { Connection } from './connection.ts'
import type { Transaction } from './context.ts'

/** Of receipts and of jobs: it ended with a fault of ours, and nothing of it was done. */
export const FAILED = "outcome ->> 'refused' = 'internal_error'"

export type Claim = { state: 'ours' } | { state: 'done'; outcome: Outcome } | { state: 'abandoned' }

/** In the order of the attempts. Waits for other deliveries of them that are under way, and then finds what became of these. */
export async function claimAttempts(connection: Connection, attempts: string[]): Promise<Claim[]> {
  const inserted = await connection.query<{ attempt: string }>({
    name: 'claim-attempts',
    text: `INSERT INTO receipts (attempt) SELECT unnest($1::uuid[])
           ON CONFLICT DO NOTHING RETURNING attempt`,
    values: [attempts],
  })
  if (inserted.rowCount === attempts.length) return attempts.map(() => ({ state: 'ours' }))
  // A statement of its own: one that did both would not see a row that was committed while it waited.
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

/** For a piece of an accepted job, in the transaction that claimed it: the next piece claims it anew. */
export async function withdrawClaim(connection: Connection, attempt: string): Promise<void> {
  await connection.query({
    name: 'withdraw-claim',
    text: 'DELETE FROM receipts WHERE attempt = $1',
    values: [attempt],
  })
}

export type Decision = Pick<Envelope, 'attempt' | 'idempotency'> & { outcome: Outcome }

export async function storeOutcomes(
  connection: Connection,
  decisions: Array<Pick<Decision, 'attempt' | 'outcome'>>,
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

/** For what ends an attempt without doing it. What was faster is the truth, and is returned. */
export async function storeUnlessDone(
  connection: Connection,
  attempt: string,
  outcome: Outcome,
): Promise<Outcome | undefined> {
  const [claim] = await claimAttempts(connection, [attempt])
  if (claim?.state === 'done') return claim.outcome
  if (claim?.state === 'ours') await storeOutcomes(connection, [{ attempt, outcome }])
  return undefined
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
