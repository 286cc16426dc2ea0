// What is decided of an attempt before its handler is asked: another delivery has done it, its caller has called it off, or
// its idempotency key has the answer. The first statements of every write.
import type { Envelope, Outcome } from '../shared/jobs.ts'
import { atOnce, type Connection } from './connection.ts'
import { type KeyState, lockKeys } from './idempotency.ts'
import { refusedOutcome } from './outcomes.ts'
import { type Claim, claimAttempts } from './receipts.ts'

/** The outcome of an attempt, once committed; undefined when it had been called off. */
export type Performed = Outcome | undefined

type PriorOutcome =
  /** Its receipt says so. */
  | { by: 'receipt'; outcome: Performed }
  /** It is this attempt's outcome too, but is not kept under the key. */
  | { by: 'key'; outcome: Outcome }

/** In the order of the attempts; undefined for those whose work is to be done, and that are ours until the transaction ends. */
export async function claim(
  connection: Connection,
  envelopes: Envelope[],
): Promise<Array<PriorOutcome | undefined>> {
  const attempts = envelopes.map(({ attempt }) => attempt)
  const idempotencies = envelopes.map(keyOf)
  const [claims, keys] = await atOnce(
    connection,
    () => claimAttempts(connection, attempts),
    () => lockKeys(connection, idempotencies),
  )
  return envelopes.map((envelope, index) => byReceipt(claims[index]) ?? byKey(keys[index], envelope))
}

/** An accepted job has none of its own: its key has kept the answer that it was accepted. */
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
