// Performs one attempt in one transaction: receipt, idempotency key, handler, outcome, in this order. An
// accepted job may take several transactions, one per piece. Only the last one leaves a receipt, so that
// another worker can continue after any piece.
import type { Knex } from 'knex'
import type { DoneOutcome, Envelope, InputOf, JobName, Outcome } from '../../shared/jobs/jobs.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { isJsonText, jsonText } from '../../shared/utilities/json-text.ts'
import { findFinished, finishJob } from './async-jobs.ts'
import { rawConnection } from './connection.ts'
import { constraintRefusal } from './constraints.ts'
import {
  type Done,
  type Handler,
  ReplyWithETag,
  type Transaction,
  UNFINISHED,
  type WorkContext,
  type WriteContext,
} from './context.ts'
import { keepOutcomes } from './idempotency.ts'
import { refusedOutcome } from './outcomes.ts'
import { claim, keyOf, type Performed } from './prior-outcomes.ts'
import { storeOutcomes, withdrawClaim } from './receipts.ts'

export async function perform<Name extends JobName>(
  database: Knex,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  report: WorkContext['report'] = () => undefined,
): Promise<Performed> {
  const { attempt, database: identity } = envelope
  const context: WorkContext = { ...contextOf(envelope), attempt, identity, report, database }
  for (;;) {
    const performed = await performPiece(database, envelope, handler, context)
    if (performed !== UNFINISHED) return performed
  }
}

function performPiece<Name extends JobName>(
  database: Knex,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  context: WorkContext,
): Promise<Performed | typeof UNFINISHED> {
  const { attempt, accepted } = envelope
  return database.transaction(async (trx) => {
    const connection = await rawConnection(trx)
    const [decided] = await claim(connection, [envelope])
    if (decided?.by === 'receipt') return decided.outcome
    const finished = accepted ? await findFinished(trx, attempt) : undefined
    if (finished) return finished
    const outcome = decided?.outcome ?? (await act(trx, envelope, handler, context))
    if (outcome === UNFINISHED) {
      await withdrawClaim(connection, attempt)
      return UNFINISHED
    }
    if (!decided) await keepOutcomes(connection, [{ attempt, idempotency: keyOf(envelope), outcome }])
    await storeOutcomes(connection, [{ ...envelope, outcome }])
    if (accepted) await finishJob(trx, attempt, outcome)
    return outcome
  })
}

export function contextOf({ actor, buildingIds, requestId, baseUrl, receivedAt }: Envelope): WriteContext {
  return { actor, buildingIds, requestId, baseUrl, now: receivedAt }
}

// A refusal undoes what the handler did, and becomes the outcome.
async function act<Name extends JobName>(
  trx: Transaction,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  context: WorkContext,
): Promise<Outcome | typeof UNFINISHED> {
  try {
    const reply = await trx.transaction((savepoint) => handler(savepoint, envelope.input, context))
    return reply === UNFINISHED ? UNFINISHED : doneOutcome(reply)
  } catch (error) {
    const refusal = error instanceof Refusal ? error : constraintRefusal(error)
    if (refusal) return refusedOutcome(refusal, envelope)
    throw error
  }
}

// Text was already built by Postgres.
export function doneOutcome<Reply extends object | null>(reply: Done<Reply>): DoneOutcome<Reply> {
  if (reply === null) return { status: 204, body: null }
  if (reply instanceof ReplyWithETag) return { status: 200, body: reply.text, etag: reply.etag }
  return { status: 200, body: isJsonText(reply) ? reply : jsonText(reply) }
}
