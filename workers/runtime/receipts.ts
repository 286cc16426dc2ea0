// What a write leaves besides its work. Receipts: the first statement of its transaction inserts them, the
// last one stores their outcomes, so a job that is delivered twice takes effect once, and one that was called off
// never does. Idempotency keys: the first request with a key does the work; a repeat gets the same answer.
import type { Knex } from 'knex'
import { erasedKey, keyInUse, keyLock } from '../../shared/jobs/idempotency.ts'
import type { Idempotency, Outcome } from '../../shared/jobs/jobs.ts'
import { keyReused, type Refusal } from '../../shared/messages/refusal.ts'
import { type Connection, pipelined } from './connection.ts'
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

/** For a piece of an accepted job, in the transaction that inserted it: the next piece inserts it again. */
export async function deleteReceipt(connection: Connection, attempt: string): Promise<void> {
  await connection.query({
    name: 'withdraw-claim',
    text: 'DELETE FROM receipts WHERE attempt = $1',
    values: [attempt],
  })
}

export async function storeOutcomes(
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
export async function storeUnlessDone(connection: Connection, attempt: string, outcome: Outcome) {
  const [receipt] = await insertReceipts(connection, [attempt])
  if (receipt?.state === 'done') return receipt.outcome
  if (receipt?.state === 'ours') await storeOutcomes(connection, [{ attempt, outcome }])
  return undefined
}

/** Whether it ended with an internal error that was reported to its caller. */
export async function hasFailed(database: Knex, attempt: string): Promise<boolean> {
  const { rowCount } = await database.raw(`SELECT 1 FROM receipts WHERE attempt = ? AND ${FAILED}`, [attempt])
  return rowCount === 1
}

/** The internal error undid everything, so the attempt may be made again. */
export async function forgetFailure(trx: Transaction, attempt: string): Promise<void> {
  await trx.raw(`DELETE FROM receipts WHERE attempt = ? AND ${FAILED}`, [attempt])
}

/** The state of an attempt's key: free, with a stored outcome, or refused. */
type KeyState =
  | { state: 'free' }
  | { state: 'kept'; outcome: Outcome }
  | { state: 'refused'; refusal: Refusal }

type Row = { ordinal: number; outcome: Outcome; same: boolean }

/** In the order of the keys; null is free. A free key stays locked until the transaction ends. */
export async function lockKeys(connection: Connection, keys: Array<Idempotency | null>): Promise<KeyState[]> {
  const asked = keys.map((key) => key ?? { scope: null, key: null, fingerprint: null })
  if (keys.every((key) => key === null)) return keys.map(() => ({ state: 'free' }))
  const names = keys.map((key) => key && `${key.scope} ${key.key}`)
  // Two statements: one could read before the first request has committed, and get the lock just after.
  const lock = () =>
    connection.query<{ got: boolean | null }>({
      name: 'lock-keys',
      text: `SELECT pg_try_advisory_xact_lock(${keyLock('name')}) AS got
             FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, ordinal) ORDER BY ordinal`,
      values: [names],
    })
  const find = () =>
    connection.query<Row>({
      name: 'find-kept',
      text: `SELECT ordinal, outcome, idempotency_keys.fingerprint = decode(asked.fingerprint, 'hex') AS same
             FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (scope, key, fingerprint, ordinal)
             JOIN idempotency_keys ON idempotency_keys.scope = asked.scope
               AND idempotency_keys.key IN (asked.key, ${erasedKey('asked.key')})
             WHERE idempotency_keys.created_at > now() - interval '24 hours'`,
      values: [
        asked.map(({ scope }) => scope),
        asked.map(({ key }) => key),
        asked.map(({ fingerprint }) => fingerprint),
      ],
    })
  const [locks, kept] = await pipelined(connection, lock, find)
  const rows = new Map(kept.rows.map((row) => [row.ordinal - 1, row]))
  return names.map((name, index) => {
    if (name === null) return { state: 'free' }
    // A transaction gets a lock as often as it asks, so only its first attempt with a key counts.
    const isLocked = locks.rows[index]?.got === true && names.indexOf(name) === index
    return isLocked ? stateOf(rows.get(index)) : { state: 'refused', refusal: keyInUse() }
  })
}

function stateOf(row: Row | undefined): KeyState {
  if (!row) return { state: 'free' }
  if (!row.same) return { state: 'refused', refusal: keyReused() }
  return { state: 'kept', outcome: { ...row.outcome, replayed: true } }
}

/** Stores the outcomes of attempts that have just been done or refused under their keys. */
export async function keepOutcomes(
  connection: Connection,
  decisions: Array<{ idempotency: Idempotency | null; outcome: Outcome }>,
): Promise<void> {
  const kept = decisions.flatMap(({ idempotency, outcome }) =>
    idempotency && isKept(outcome) ? [{ ...idempotency, outcome }] : [],
  )
  if (kept.length === 0) return
  await connection.query({
    name: 'keep-outcomes',
    text: `INSERT INTO idempotency_keys (scope, key, fingerprint, outcome)
           SELECT scope, key, decode(fingerprint, 'hex'), outcome::json
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS kept (scope, key, fingerprint, outcome)
           ON CONFLICT (scope, key) DO UPDATE
           SET fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = now()`,
    values: [
      kept.map(({ scope }) => scope),
      kept.map(({ key }) => key),
      kept.map(({ fingerprint }) => fingerprint),
      kept.map(({ outcome }) => JSON.stringify(outcome)),
    ],
  })
}

function isKept({ status }: Outcome): boolean {
  return (status >= 200 && status < 300) || [404, 409, 412, 422].includes(status)
}
