// Decides an attempt before its handler runs, if it was done by another delivery, called off, or answered
// under its idempotency key. These are the first statements of every write.
import type { Envelope, Outcome } from '../../shared/jobs/jobs.ts'
import { type Connection, pipelined } from './connection.ts'
import { type KeyState, lockKeys } from './idempotency.ts'
import { refusedOutcome } from './outcomes.ts'
import { type Claim, claimAttempts } from './receipts.ts'

/** The outcome of an attempt, once committed; undefined if it was called off. */
export type Performed = Outcome | undefined

type PriorOutcome =
  /** Decided by its receipt. */
  | { by: 'receipt'; outcome: Performed }
  /** Becomes this attempt's outcome too, but is not stored under the key again. */
  | { by: 'key'; outcome: Outcome }

/** In the order of the attempts; undefined for those to perform, which are ours until the end. */
export async function claim(
  connection: Connection,
  envelopes: Envelope[],
): Promise<Array<PriorOutcome | undefined>> {
  const attempts = envelopes.map(({ attempt }) => attempt)
  const idempotencies = envelopes.map(keyOf)
  const [claims, keys] = await pipelined(
    connection,
    () => claimAttempts(connection, attempts),
    () => lockKeys(connection, idempotencies),
  )
  return envelopes.map((envelope, index) => byReceipt(claims[index]) ?? byKey(keys[index], envelope))
}

/** An accepted job has no key: its key holds the answer that the job was accepted. */
export function keyOf({ accepted, idempotency }: Envelope): Envelope['idempotency'] {
  return accepted ? null : idempotency
}

function byReceipt(claimed: Claim | undefined): PriorOutcome | undefined {
  if (claimed?.state === 'ours') return undefined
  return { by: 'receipt', outcome: claimed?.state === 'done' ? claimed.outcome : undefined }
}

function byKey(key: KeyState | undefined, envelope: Envelope): PriorOutcome | undefined {
  if (key?.state === 'kept') return { by: 'key', outcome: key.outcome }
  if (key?.state === 'refused') return { by: 'key', outcome: refusedOutcome(key.refusal, envelope) }
  return undefined
}
