// Idempotency keys: the first request with a key does the work; a repeat gets the same answer.
import { tryLock } from '../../shared/database/locks.ts'
import { erasedKey, keyInUse, keyLock } from '../../shared/jobs/idempotency.ts'
import type { Idempotency, Outcome } from '../../shared/jobs/jobs.ts'
import { keyReused, type Refusal } from '../../shared/messages/refusal.ts'
import { findRefusalKind } from '../../shared/messages/refusal-kinds.ts'
import { type Connection, pipelined } from './connection.ts'

/** The state of an attempt's key: free, with a stored outcome, or refused. */
type KeyState =
  | { state: 'free' }
  | { state: 'answered'; outcome: Outcome }
  | { state: 'refused'; refusal: Refusal }

type Row = { ordinal: number; outcome: Outcome; same: boolean }

/** In the order of the keys; null is free. A free key stays locked until the transaction ends. */
export async function lockIdempotencyKeys(
  connection: Connection,
  keys: Array<Idempotency | null>,
): Promise<KeyState[]> {
  const asked = keys.map((key) => key ?? { scope: null, key: null, fingerprint: null })
  if (keys.every((key) => key === null)) return keys.map(() => ({ state: 'free' }))
  const names = keys.map((key) => key && `${key.scope} ${key.key}`)
  // Two statements: one could read before the first request has committed, and get the lock just after.
  const lock = () =>
    connection.query<{ got: boolean | null }>({
      name: 'lock-keys',
      text: `SELECT ${tryLock(keyLock('name'))} AS got
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
  const [locks, found] = await pipelined(connection, lock, find)
  const rows = new Map(found.rows.map((row) => [row.ordinal - 1, row]))
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
  return { state: 'answered', outcome: { ...row.outcome, replayed: true } }
}

/** Saves, under their keys, the outcomes of attempts that have just been done or refused. */
export async function saveOutcomesUnderKeys(
  connection: Connection,
  decisions: Array<{ idempotency: Idempotency | null; outcome: Outcome }>,
): Promise<void> {
  const saved = decisions.flatMap(({ idempotency, outcome }) =>
    idempotency && isSaved(outcome) ? [{ ...idempotency, outcome }] : [],
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

// A refusal that asks to try again is not the answer of a repeat.
function isSaved({ status, refused }: Outcome): boolean {
  if (refused !== undefined && findRefusalKind(refused)?.retryAfterSeconds !== undefined) return false
  return (status >= 200 && status < 300) || [404, 409, 412, 422].includes(status)
}
