// Idempotency keys: the first request with a key does the work, a repeat gets its answer to the byte.
import type { Idempotency, Outcome } from '../shared/jobs.ts'
import { keyReused, Refusal } from '../shared/refusal.ts'
import type { Transaction } from './context.ts'

type Row = { outcome: Outcome; same: boolean }

/** SQL that gives what stands for a key that named somebody who was erased: nobody can read it, and a repeat finds it. */
export const erasedKey = (key: string) => `'erased ' || encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`

/** What the key has kept; undefined when the work is to be done, and the key is ours until the transaction ends. */
export async function findKept(
  trx: Transaction,
  { scope, key, fingerprint }: Idempotency,
): Promise<Outcome | undefined> {
  const lock = await trx.raw('SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0)) AS got', [
    `${scope} ${key}`,
  ])
  if (!lock.rows[0]?.got) {
    throw new Refusal(
      'idempotency_key_in_use',
      'The first request with this Idempotency-Key is still in progress.',
    )
  }
  const found = await trx.raw(
    `SELECT outcome, fingerprint = decode(?, 'hex') AS same
     FROM idempotency_keys
     WHERE scope = ? AND key IN (?, ${erasedKey('?')}) AND created_at > now() - interval '24 hours'`,
    [fingerprint, scope, key, key],
  )
  const row: Row | undefined = found.rows[0]
  if (!row) return undefined
  if (!row.same) {
    throw keyReused()
  }
  return { ...row.outcome, replayed: true }
}

export async function keep(trx: Transaction, idempotency: Idempotency, outcome: Outcome): Promise<void> {
  if (!isKept(outcome)) return
  const { scope, key, fingerprint } = idempotency
  await trx.raw(
    `INSERT INTO idempotency_keys (scope, key, fingerprint, outcome)
     VALUES (?, ?, decode(?, 'hex'), ?)
     ON CONFLICT (scope, key) DO UPDATE
     SET fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = now()`,
    [scope, key, fingerprint, JSON.stringify(outcome)],
  )
}

function isKept({ status }: Outcome): boolean {
  return (status >= 200 && status < 300) || [404, 409, 422].includes(status)
}
