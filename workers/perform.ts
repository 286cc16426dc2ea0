// One attempt in one transaction: its receipt, its idempotency key, its handler, its outcome, in this order.
import type { Knex } from 'knex'
import { type Envelope, type InputOf, type JobName, jobs, type Outcome } from '../shared/jobs.ts'
import { problemBody, Refusal } from '../shared/refusal.ts'
import { constraintRefusal } from './constraints.ts'
import type { Handler, Transaction, WorkContext } from './context.ts'
import { findKept, keep } from './idempotency.ts'
import { claimAttempt, storeOutcome } from './receipts.ts'

// A transaction that holds on would leave a caller who calls it off without an answer.
const LIMITS = `
  SET LOCAL statement_timeout = '4s';
  SET LOCAL idle_in_transaction_session_timeout = '4s'`

/** The outcome, once committed; undefined when the attempt had been called off. */
export async function perform<Name extends JobName>(
  database: Knex,
  name: Name,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
): Promise<Outcome | undefined> {
  return database.transaction(async (trx) => {
    await trx.raw(LIMITS)
    const claim = await claimAttempt(trx, envelope.attempt)
    if (claim.state === 'abandoned') return undefined
    if (claim.state === 'done') return claim.outcome
    const outcome = await decide(trx, name, envelope, handler)
    await storeOutcome(trx, envelope.attempt, outcome)
    return outcome
  })
}

// A refusal of the key itself is this attempt's outcome too, but is not kept under the key.
async function decide<Name extends JobName>(
  trx: Transaction,
  name: Name,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
): Promise<Outcome> {
  const { idempotency } = envelope
  try {
    const kept = idempotency ? await findKept(trx, idempotency) : undefined
    if (kept) return kept
  } catch (error) {
    if (error instanceof Refusal) return refused(error, envelope)
    throw error
  }
  const outcome = await act(trx, name, envelope, handler)
  if (idempotency) await keep(trx, idempotency, outcome)
  return outcome
}

// What the handler did is undone when it refuses, and the refusal is the outcome.
async function act<Name extends JobName>(
  trx: Transaction,
  name: Name,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
): Promise<Outcome> {
  const { actor, requestId, baseUrl, receivedAt } = envelope
  const context: WorkContext = { actor, requestId, baseUrl, now: receivedAt }
  try {
    const body = await trx.transaction((savepoint) => handler(savepoint, envelope.input, context))
    return { status: jobs[name].answer.status, body }
  } catch (error) {
    const refusal = error instanceof Refusal ? error : constraintRefusal(error)
    if (refusal) return refused(refusal, envelope)
    throw error
  }
}

function refused(refusal: Refusal, envelope: Envelope): Outcome {
  return { status: refusal.status, body: problemBody(refusal, envelope), refused: refusal.code }
}
