// One attempt in one transaction: its receipt, its idempotency key, its handler, its outcome, in this order.
import type { Knex } from 'knex'
import type { QueueName } from '../shared/contracts/job.ts'
import {
  type DoneOutcome,
  type Envelope,
  type InputOf,
  type JobName,
  jobs,
  type Outcome,
} from '../shared/jobs.ts'
import { Refusal } from '../shared/refusal.ts'
import { isJsonText, type JsonText, jsonText } from '../shared/shapes/json-text.ts'
import { findFinished, finishJob } from './accepted.ts'
import { constraintRefusal } from './constraints.ts'
import type { Handler, Transaction, WorkContext } from './context.ts'
import { findKept, keep } from './idempotency.ts'
import { refusedOutcome } from './outcomes.ts'
import { claimAttempt, storeOutcome } from './receipts.ts'

// A transaction that holds on would leave a caller who calls it off without an answer. Long work has its own measure.
const LIMITS_SECONDS: Record<QueueName, number> = { writes: 4, imports: 900, exports: 900, upkeep: 60 }

const limitsSql = (seconds: number) => `
  SET LOCAL statement_timeout = '${seconds}s';
  SET LOCAL idle_in_transaction_session_timeout = '${seconds}s'`

/** The outcome, once committed; undefined when the attempt had been called off. */
export async function perform<Name extends JobName>(
  database: Knex,
  name: Name,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  report: WorkContext['report'] = () => undefined,
): Promise<Outcome | undefined> {
  const { actor, requestId, baseUrl, receivedAt, attempt } = envelope
  const context: WorkContext = { actor, requestId, baseUrl, now: receivedAt, attempt, report, database }
  return database.transaction(async (trx) => {
    await trx.raw(limitsSql(LIMITS_SECONDS[jobs[name].queue]))
    const claim = await claimAttempt(trx, attempt)
    if (claim.state === 'abandoned') return undefined
    if (claim.state === 'done') return claim.outcome
    const finished = envelope.accepted ? await findFinished(trx, attempt) : undefined
    if (finished) return finished
    const outcome = await decide(trx, envelope, handler, context)
    await storeOutcome(trx, attempt, outcome)
    if (envelope.accepted) await finishJob(trx, attempt, outcome)
    return outcome
  })
}

// A refusal of the key itself is this attempt's outcome too, but is not kept under the key.
async function decide<Name extends JobName>(
  trx: Transaction,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  context: WorkContext,
): Promise<Outcome> {
  const { idempotency } = envelope
  try {
    const kept = idempotency ? await findKept(trx, idempotency) : undefined
    if (kept) return kept
  } catch (error) {
    if (error instanceof Refusal) return refusedOutcome(error, envelope)
    throw error
  }
  const outcome = await act(trx, envelope, handler, context)
  if (idempotency) await keep(trx, idempotency, outcome)
  return outcome
}

// What the handler did is undone when it refuses, and the refusal is the outcome.
async function act<Name extends JobName>(
  trx: Transaction,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  context: WorkContext,
): Promise<Outcome> {
  try {
    const reply = await trx.transaction((savepoint) => handler(savepoint, envelope.input, context))
    return doneOutcome(reply)
  } catch (error) {
    const refusal = error instanceof Refusal ? error : constraintRefusal(error)
    if (refusal) return refusedOutcome(refusal, envelope)
    throw error
  }
}

// What is a text already was finished by Postgres.
function doneOutcome<Reply extends object | null>(reply: Reply | JsonText<Reply>): DoneOutcome<Reply> {
  if (reply === null) return { status: 204, body: null }
  return { status: 200, body: isJsonText(reply) ? reply : jsonText(reply) }
}
