// Implements idempotency keys: the first request with a key does the work, and a repeated request gets the same
// response.
import { tryLockSql } from '../../shared/database/locks.ts'
import { createKeyInUseRefusal, erasedKeySql, idempotencyLockKeySql } from '../../shared/jobs/idempotency.ts'
import type { Idempotency, Outcome } from '../../shared/jobs/jobs.ts'
import { createKeyReusedRefusal, type Refusal } from '../../shared/messages/refusal.ts'
import { findRefusalKind } from '../../shared/messages/refusal-kinds.ts'
import { type Connection, sendPipelined } from './connection.ts'

/** The state of an idempotency key: free, used with a stored outcome, or refused. */
type KeyState =
  | { state: 'free' }
  | { state: 'answered'; outcome: Outcome }
  | { state: 'refused'; refusal: Refusal }

type KeyRow = { ordinal: number; outcome: Outcome; same: boolean }

/**
 * Locks idempotency keys. Returns their states in the order of the keys; null means free. A free key stays locked until
 * the transaction ends.
 */
export async function lockIdempotencyKeys(
  connection: Connection,
  keys: Array<Idempotency | null>,
): Promise<KeyState[]> {
  const asked = keys.map((key) => key ?? { scope: null, key: null, fingerprint: null })
  if (keys.every((key) => key === null)) return keys.map(() => ({ state: 'free' }))
  const names = keys.map((key) => key && `${key.scope} ${key.key}`)
  // Locking and reading are two statements. A single statement could read before the first request has committed, and
  // get the lock just afterwards.
  const lock = () =>
    connection.query<{ got: boolean | null }>({
      name: 'lock-keys',
      text: `SELECT ${tryLockSql(idempotencyLockKeySql('name'))} AS got
             FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, ordinal) ORDER BY ordinal`,
      values: [names],
    })
  const find = () =>
    connection.query<KeyRow>({
      name: 'find-kept',
      text: `SELECT ordinal, outcome, idempotency_keys.fingerprint = decode(asked.fingerprint, 'hex') AS same
             FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (scope, key, fingerprint, ordinal)
             JOIN idempotency_keys ON idempotency_keys.scope = asked.scope
               AND idempotency_keys.key IN (asked.key, ${erasedKeySql('asked.key')})
             WHERE idempotency_keys.created_at > now() - interval '24 hours'`,
      values: [
        asked.map(({ scope }) => scope),
        asked.map(({ key }) => key),
        asked.map(({ fingerprint }) => fingerprint),
      ],
    })
  const [locks, found] = await sendPipelined(connection, lock, find)
  const rows = new Map(found.rows.map((row) => [row.ordinal - 1, row]))
  return names.map((name, index) => {
    if (name === null) return { state: 'free' }
    // A stored outcome is final, so it answers this attempt even if a simultaneous repeat holds the lock.
    const row = rows.get(index)
    if (row) return getStateOfUsedKey(row)
    // A transaction can take the same lock several times, so within a transaction only the first attempt with a key may
    // use it.
    const isLocked = locks.rows[index]?.got === true && names.indexOf(name) === index
    return isLocked ? { state: 'free' } : { state: 'refused', refusal: createKeyInUseRefusal() }
  })
}

function getStateOfUsedKey(row: KeyRow): KeyState {
  if (!row.same) return { state: 'refused', refusal: createKeyReusedRefusal() }
  return { state: 'answered', outcome: { ...row.outcome, replayed: true } }
}

/** Saves the outcomes of attempts that were just done or refused under their idempotency keys. */
export async function saveOutcomesUnderKeys(
  connection: Connection,
  decisions: Array<{ idempotency: Idempotency | null; outcome: Outcome }>,
): Promise<void> {
  const saved = decisions.flatMap(({ idempotency, outcome }) =>
    idempotency && isOutcomeSaved(outcome) ? [{ ...idempotency, outcome }] : [],
  )
  if (saved.length === 0) return
  await connection.query({
    name: 'keep-outcomes',
    text: `INSERT INTO idempotency_keys (scope, key, fingerprint, outcome)
           SELECT scope, key, decode(fingerprint, 'hex'), outcome::json
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS kept (scope, key, fingerprint, outcome)
           ON CONFLICT (scope, key) DO UPDATE
           SET fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = now()`,
    values: [
      saved.map(({ scope }) => scope),
      saved.map(({ key }) => key),
      saved.map(({ fingerprint }) => fingerprint),
      saved.map(({ outcome }) => JSON.stringify(outcome)),
    ],
  })
}

// Whether an outcome is saved as the response to a repeated request. A refusal that asks the caller to try again is not
// saved.
function isOutcomeSaved({ status, refused }: Outcome): boolean {
  if (refused !== undefined && findRefusalKind(refused)?.retryAfterSeconds !== undefined) return false
  return (status >= 200 && status < 300) || [404, 409, 412, 422].includes(status)
}
