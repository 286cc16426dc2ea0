// Performs attempts in one transaction: receipts and idempotency keys, handler, outcomes, in this order. One
// attempt alone, or as many of a kind as came together, with as many statements as one needs.
import type { Knex } from 'knex'
import type { DoneOutcome, Envelope, InputOf, JobName, Outcome } from '../../shared/jobs/jobs.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { isJsonText, jsonText } from '../../shared/utilities/json-text.ts'
import { findFinished, finishJob } from './accepted-jobs.ts'
import { type Connection, type Ending, pipelined, pipelinedTransaction, rawConnection } from './connection.ts'
import { lockIdempotencyKeys, saveOutcomesUnderKeys } from './idempotency-keys.ts'
import { deleteReceipts, insertReceipts, saveReceiptOutcomes } from './receipts.ts'
import { refusalFromError, refusedOutcome } from './refusals.ts'
import {
  type BatchedWrite,
  type BatchHandler,
  type Done,
  type Handler,
  openWrite,
  ReplyWithETag,
  TAKEN,
  type Transaction,
  UNFINISHED,
  type WorkContext,
  type WriteContext,
  withFacts,
} from './write.ts'

/** The outcome of an attempt, once committed; undefined if it was called off. */
export type Performed = Outcome | undefined

type Decision =
  /** Done by another delivery, or called off. */
  | { by: 'receipt'; outcome: Performed }
  /** Answered under its idempotency key; becomes this attempt's outcome too. */
  | { by: 'key'; outcome: Outcome }
  | { by: 'handler'; outcome: Outcome }

/**
 * An accepted job may take several transactions, one per piece. Only the last one leaves a receipt, so that
 * another worker can continue after any piece.
 */
export async function perform<Name extends JobName>(
  database: Knex,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  report: WorkContext['report'] = () => undefined,
): Promise<Performed> {
  const { database: identity } = envelope
  const context: WorkContext = { ...contextOf(envelope), identity, report, database }
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
    const [decided] = await startAttempts(connection, [envelope])
    if (decided?.by === 'receipt') return decided.outcome
    const finished = accepted ? await findFinished(trx, attempt) : undefined
    if (finished) return finished
    const outcome = decided?.outcome ?? (await act(trx, envelope, handler, context))
    if (outcome === UNFINISHED) {
      await deleteReceipts(connection, [attempt])
      return UNFINISHED
    }
    await store(connection, new Map([[envelope, decided ?? { by: 'handler', outcome }]]))
    if (accepted) await finishJob(trx, attempt, outcome)
    return outcome
  })
}

// A refusal undoes what the handler did, and becomes the outcome.
async function act<Name extends JobName>(
  trx: Transaction,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  context: WorkContext,
): Promise<Outcome | typeof UNFINISHED> {
  try {
    const reply = await trx.transaction((savepoint) => handler(openWrite(savepoint, context), envelope.input))
    return reply === UNFINISHED ? UNFINISHED : doneOutcome(reply)
  } catch (error) {
    const refusal = refusalFromError(error)
    if (refusal) return refusedOutcome(refusal, envelope)
    throw error
  }
}

// All attempts of a batch wait for a lock that one of them needs. After ten times as long as a batch takes, each
// runs alone, and only that one waits.
const LIMIT_LOCK_WAITS = 'SET LOCAL lock_timeout = 500'

type Together<Input, Fact, Reply> = BatchHandler<Input, Fact, Done<Reply>>
type Outcomes = Map<Envelope, Performed>

/**
 * Yields outcomes as they are committed: first those of the batch, then the refusals of attempts whose place was taken meanwhile.
 * A fault undoes what is not committed yet. Attempts without an outcome run alone: after a fault, or if a conflict has vanished.
 */
export async function* performTogether<Input, Fact, Reply extends object | null>(
  database: Knex,
  envelopes: Array<Envelope<Input>>,
  handler: Together<Input, Fact, Reply>,
): AsyncGenerator<Outcomes> {
  const outcomes = await performBatch(database, envelopes, handler)
  yield outcomes
  const taken = envelopes.filter((envelope) => !outcomes.has(envelope))
  if (taken.length > 0) yield await explainTaken(database, taken, handler)
}

/**
 * Attempts whose place was taken after the batch began have no outcome yet.
 *
 * A batch handler has no savepoint, unlike a handler that runs alone. So it must decide every refusal before it writes
 * anything for that attempt, and return it: what it has written stays. An error that Postgres raises ends the transaction
 * of all attempts, which then run alone.
 */
function performBatch<Input, Fact, Reply extends object | null>(
  database: Knex,
  envelopes: Array<Envelope<Input>>,
  { lockFacts, perform: performAll, conflicts }: Together<Input, Fact, Reply>,
): Promise<Outcomes> {
  const writes = envelopes.map(writeOf)
  return pipelinedTransaction(database, async (connection, ending) => {
    const [decided, known, facts] = await Promise.all([
      startAttempts(connection, envelopes),
      conflicts?.find(connection, writes),
      lockFacts(connection, writes),
    ])
    const isOpen = (index: number) => !decided[index]
    const refusals = new Map(writes.map((write, index) => [write, known?.[index]]))
    const open = withFacts(writes, facts, isOpen).map((each) => ({
      ...each,
      known: refusals.get(each.write),
    }))
    const performOpen = conflicts?.performOrLeave ?? performAll
    const replies = (open.length > 0 ? await performOpen(connection, open) : []).values()
    const done = new Map<Envelope, Decision>()
    for (const [index, envelope] of envelopes.entries()) {
      const before = decided[index]
      const reply = before ? undefined : replies.next().value
      if (before) done.set(envelope, before)
      else if (reply !== TAKEN) done.set(envelope, { by: 'handler', outcome: outcomeOf(reply, envelope) })
    }
    return end(connection, ending, envelopes, done)
  })
}

// It locks nothing, so nobody waits while alternatives are searched.
function explainTaken<Input, Fact, Reply extends object | null>(
  database: Knex,
  envelopes: Array<Envelope<Input>>,
  { conflicts }: Together<Input, Fact, Reply>,
): Promise<Outcomes> {
  return pipelinedTransaction(database, async (connection, ending) => {
    const [decided, refusals] = await Promise.all([
      startAttempts(connection, envelopes),
      conflicts?.explain(connection, envelopes.map(writeOf)),
    ])
    const done = new Map<Envelope, Decision>()
    for (const [index, envelope] of envelopes.entries()) {
      const refusal = refusals?.[index]
      const outcome = refusal && refusedOutcome(refusal, envelope)
      const decision = decided[index] ?? (outcome && { by: 'handler', outcome })
      if (decision) done.set(envelope, decision)
    }
    return end(connection, ending, envelopes, done)
  })
}

const writeOf = <Input>(envelope: Envelope<Input>): BatchedWrite<Input> => ({
  input: envelope.input,
  context: contextOf(envelope),
})

/** Attempts without a decision go on in another transaction, so this one deletes their receipts. */
function end(
  connection: Connection,
  { last, rollBack }: Ending,
  envelopes: Envelope[],
  done: Map<Envelope, Decision>,
): Outcomes {
  const open = envelopes.filter((envelope) => !done.has(envelope)).map(({ attempt }) => attempt)
  if (done.size === 0) rollBack()
  else last(() => Promise.all([store(connection, done), deleteReceipts(connection, open)]))
  return new Map([...done].map(([envelope, { outcome }]) => [envelope, outcome]))
}

function outcomeOf<Reply extends object | null>(
  reply: Done<Reply> | Refusal | undefined,
  envelope: Envelope,
) {
  if (reply === undefined) throw new Error('The handler returned no reply for a write')
  return reply instanceof Refusal ? refusedOutcome(reply, envelope) : doneOutcome<Reply>(reply)
}

function contextOf(envelope: Envelope): WriteContext {
  const { actor, buildingIds, userId, requestId, attempt, baseUrl, receivedAt } = envelope
  return { actor, buildingIds, userId, requestId, attempt, baseUrl, now: receivedAt }
}

// Text was already built by Postgres.
export function doneOutcome<Reply extends object | null>(reply: Done<Reply>): DoneOutcome<Reply> {
  if (reply === null) return { status: 204, body: null }
  if (reply instanceof ReplyWithETag) return { status: 200, body: reply.text, etag: reply.etag }
  return { status: 200, body: isJsonText(reply) ? reply : jsonText(reply) }
}

/** The first statements of every write. In the order of the attempts: undefined for those to perform. */
async function startAttempts(
  connection: Connection,
  envelopes: Envelope[],
): Promise<Array<Decision | undefined>> {
  const attempts = envelopes.map(({ attempt }) => attempt)
  const limited = attempts.length > 1 ? connection.query(LIMIT_LOCK_WAITS) : undefined
  const first = pipelined(
    connection,
    () => insertReceipts(connection, attempts),
    () => lockIdempotencyKeys(connection, envelopes.map(keyOf)),
  )
  const [[receipts, keys]] = await Promise.all([first, limited])
  return envelopes.map((envelope, index) => {
    const receipt = receipts[index]
    const key = keys[index]
    if (receipt?.state !== 'ours')
      return { by: 'receipt', outcome: receipt?.state === 'done' ? receipt.outcome : undefined }
    if (key?.state === 'answered') return { by: 'key', outcome: key.outcome }
    if (key?.state === 'refused') return { by: 'key', outcome: refusedOutcome(key.refusal, envelope) }
    return undefined
  })
}

/** An accepted job has no key: its key holds the answer that the job was accepted. */
const keyOf = ({ accepted, idempotency }: Envelope) => (accepted ? null : idempotency)

/**
 * The last statements of every write, sent at once. An outcome that was read from a key is not stored under that
 * key a second time.
 */
async function store(connection: Connection, decisions: Map<Envelope, Decision>): Promise<void> {
  const decided = [...decisions].flatMap(([envelope, decision]) => {
    if (decision.by === 'receipt') return []
    const idempotency = decision.by === 'handler' ? keyOf(envelope) : null
    return [{ attempt: envelope.attempt, idempotency, outcome: decision.outcome }]
  })
  await Promise.all([saveOutcomesUnderKeys(connection, decided), saveReceiptOutcomes(connection, decided)])
}
