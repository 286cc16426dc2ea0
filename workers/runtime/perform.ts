// Performs attempts in one transaction: first receipts and idempotency keys, then the handler, then the outcomes.
// Performs either a single attempt, or a batch of attempts of the same kind, which needs no more statements than one
// attempt.
import type { Knex } from 'knex'
import type { DoneOutcome, Envelope, InputOf, JobName, Outcome } from '../../shared/jobs/jobs.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { isJsonText, toJsonText } from '../../shared/utilities/json-text.ts'
import { findFinishedOutcome, finishJob } from './accepted-jobs.ts'
import {
  type Connection,
  getConnection,
  runPipelinedTransaction,
  sendPipelined,
  type TransactionEnding,
} from './connection.ts'
import { lockIdempotencyKeys, saveOutcomesUnderKeys } from './idempotency-keys.ts'
import { deleteReceipts, insertReceipts, saveReceiptOutcomes } from './receipts.ts'
import { createRefusedOutcome, toRefusal } from './refusals.ts'
import {
  type BatchedWrite,
  type BatchHandler,
  type Handler,
  type HandlerReply,
  MORE_PIECES_LEFT,
  openWrite,
  openWritesWithFacts,
  ReplyWithETag,
  TAKEN_BY_OTHERS,
  type Transaction,
  type WorkContext,
  type WriteContext,
} from './write.ts'

/** The outcome of an attempt after its commit, or undefined if its caller abandoned the attempt. */
export type AttemptOutcome = Outcome | undefined

type AttemptDecision =
  /** Another delivery has performed the attempt, or its caller abandoned it. */
  | { by: 'receipt'; outcome: AttemptOutcome }
  /** The idempotency key has a stored outcome, which is also the outcome of this attempt. */
  | { by: 'key'; outcome: Outcome }
  | { by: 'handler'; outcome: Outcome }

/**
 * Performs one attempt. An accepted job may take several transactions, one for each batch of its work. Only the last
 * transaction leaves a receipt, so that another worker can continue after any batch.
 */
export async function perform<Name extends JobName>(
  database: Knex,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  report: WorkContext['report'] = () => undefined,
): Promise<AttemptOutcome> {
  const { database: identity } = envelope
  const context: WorkContext = { ...createWriteContext(envelope), identity, report, database }
  for (;;) {
    const performed = await performPiece(database, envelope, handler, context)
    if (performed !== MORE_PIECES_LEFT) return performed
  }
}

function performPiece<Name extends JobName>(
  database: Knex,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  context: WorkContext,
): Promise<AttemptOutcome | typeof MORE_PIECES_LEFT> {
  const { attempt, accepted } = envelope
  return database.transaction(async (trx) => {
    const connection = await getConnection(trx)
    const [decided] = await startAttempts(connection, [envelope])
    if (decided?.by === 'receipt') return decided.outcome
    const finished = accepted ? await findFinishedOutcome(trx, attempt) : undefined
    if (finished) return finished
    const outcome = decided?.outcome ?? (await runHandler(trx, envelope, handler, context))
    if (outcome === MORE_PIECES_LEFT) {
      await deleteReceipts(connection, [attempt])
      return MORE_PIECES_LEFT
    }
    await storeDecisions(connection, new Map([[envelope, decided ?? { by: 'handler', outcome }]]))
    if (accepted) await finishJob(trx, attempt, outcome)
    return outcome
  })
}

// Runs the handler. A refusal undoes what the handler did, and becomes the outcome.
async function runHandler<Name extends JobName>(
  trx: Transaction,
  envelope: Envelope<InputOf<Name>>,
  handler: Handler<Name>,
  context: WorkContext,
): Promise<Outcome | typeof MORE_PIECES_LEFT> {
  try {
    const reply = await trx.transaction((savepoint) => handler(openWrite(savepoint, context), envelope.input))
    return reply === MORE_PIECES_LEFT ? MORE_PIECES_LEFT : toDoneOutcome(reply)
  } catch (error) {
    const refusal = toRefusal(error)
    if (refusal) return createRefusedOutcome(refusal, envelope)
    throw error
  }
}

// The limit on waiting for a lock in a batch. If one attempt waits for a lock, the whole batch waits. After
// this limit, which is ten times the usual duration of a batch, the attempts of each job run together, and then each runs
// alone, so that only one of them waits.
const LIMIT_LOCK_WAITS_SQL = 'SET LOCAL lock_timeout = 500'

type TogetherHandler<Input, Fact, Reply> = BatchHandler<Input, Fact, HandlerReply<Reply>>
type Outcomes = Map<Envelope, AttemptOutcome>

/**
 * Yields outcomes as they are committed: first those of the batch, then the refusals of attempts whose place somebody
 * else took in the meantime. A fault undoes everything that is not committed yet. Attempts whose conflict has disappeared
 * have no outcome, and run alone.
 */
export async function* performTogether<Input, Fact, Reply extends object | null>(
  database: Knex,
  envelopes: Array<Envelope<Input>>,
  handler: TogetherHandler<Input, Fact, Reply>,
): AsyncGenerator<Outcomes> {
  const outcomes = await performBatch(database, envelopes, handler)
  yield outcomes
  const taken = envelopes.filter((envelope) => !outcomes.has(envelope))
  if (taken.length > 0) yield await explainConflicts(database, taken, handler)
}

/**
 * Performs a batch in one transaction. Attempts whose place somebody else took after the batch began have no outcome
 * yet. A batch handler has no savepoint, unlike a handler that runs alone. So it must decide every refusal before it
 * writes anything for that attempt, and return the refusal, because nothing undoes its writes. An error from Postgres
 * ends the transaction of all attempts.
 */
function performBatch<Input, Fact, Reply extends object | null>(
  database: Knex,
  envelopes: Array<Envelope<Input>>,
  { lockFacts, perform: performAll, conflicts }: TogetherHandler<Input, Fact, Reply>,
): Promise<Outcomes> {
  const writes = envelopes.map(toBatchedWrite)
  return runPipelinedTransaction(database, async (connection, ending) => {
    const [decided, known, facts] = await Promise.all([
      startAttempts(connection, envelopes),
      conflicts?.find(connection, writes),
      lockFacts(connection, writes),
    ])
    const isOpen = (index: number) => !decided[index]
    const refusals = new Map(writes.map((write, index) => [write, known?.[index]]))
    const open = openWritesWithFacts(writes, facts, isOpen).map((each) => ({
      ...each,
      known: refusals.get(each.write),
    }))
    const performOpen = conflicts?.performOrLeave ?? performAll
    const replies = (open.length > 0 ? await performOpen(connection, open) : []).values()
    const done = new Map<Envelope, AttemptDecision>()
    for (const [index, envelope] of envelopes.entries()) {
      const before = decided[index]
      const reply = before ? undefined : replies.next().value
      if (before) done.set(envelope, before)
      else if (reply !== TAKEN_BY_OTHERS)
        done.set(envelope, { by: 'handler', outcome: createOutcome(reply, envelope) })
    }
    return endTransaction(connection, ending, envelopes, done)
  })
}

// Explains conflicts without any locks, so that nobody waits while Berth searches for alternatives.
function explainConflicts<Input, Fact, Reply extends object | null>(
  database: Knex,
  envelopes: Array<Envelope<Input>>,
  { conflicts }: TogetherHandler<Input, Fact, Reply>,
): Promise<Outcomes> {
  return runPipelinedTransaction(database, async (connection, ending) => {
    const [decided, refusals] = await Promise.all([
      startAttempts(connection, envelopes),
      conflicts?.explain(connection, envelopes.map(toBatchedWrite)),
    ])
    const done = new Map<Envelope, AttemptDecision>()
    for (const [index, envelope] of envelopes.entries()) {
      const refusal = refusals?.[index]
      const outcome = refusal && createRefusedOutcome(refusal, envelope)
      const decision = decided[index] ?? (outcome && { by: 'handler', outcome })
      if (decision) done.set(envelope, decision)
    }
    return endTransaction(connection, ending, envelopes, done)
  })
}

const toBatchedWrite = <Input>(envelope: Envelope<Input>): BatchedWrite<Input> => ({
  input: envelope.input,
  context: createWriteContext(envelope),
})

/**
 * Ends the transaction by storing the decisions. Attempts without a decision continue in another transaction, so this
 * one deletes their receipts.
 */
function endTransaction(
  connection: Connection,
  { last, rollBack }: TransactionEnding,
  envelopes: Envelope[],
  done: Map<Envelope, AttemptDecision>,
): Outcomes {
  const open = envelopes.filter((envelope) => !done.has(envelope)).map(({ attempt }) => attempt)
  if (done.size === 0) rollBack()
  else last(() => Promise.all([storeDecisions(connection, done), deleteReceipts(connection, open)]))
  return new Map([...done].map(([envelope, { outcome }]) => [envelope, outcome]))
}

function createOutcome<Reply extends object | null>(
  reply: HandlerReply<Reply> | Refusal | undefined,
  envelope: Envelope,
) {
  if (reply === undefined) throw new Error('The handler returned no reply for a write')
  return reply instanceof Refusal ? createRefusedOutcome(reply, envelope) : toDoneOutcome<Reply>(reply)
}

function createWriteContext(envelope: Envelope): WriteContext {
  const { actor, buildingIds, userId, requestId, attempt, baseUrl, receivedAt } = envelope
  return { actor, buildingIds, userId, requestId, attempt, baseUrl, now: receivedAt }
}

// A reply that is a string is JSON text that Postgres has already built.
export function toDoneOutcome<Reply extends object | null>(reply: HandlerReply<Reply>): DoneOutcome<Reply> {
  if (reply === null) return { status: 204, body: null }
  if (reply instanceof ReplyWithETag) return { status: 200, body: reply.text, etag: reply.etag }
  return { status: 200, body: isJsonText(reply) ? reply : toJsonText(reply) }
}

/**
 * Runs the first statements of every write. Returns results in the order of the attempts. The result is undefined for
 * an attempt that still has to be performed.
 */
async function startAttempts(
  connection: Connection,
  envelopes: Envelope[],
): Promise<Array<AttemptDecision | undefined>> {
  const attempts = envelopes.map(({ attempt }) => attempt)
  const limited = attempts.length > 1 ? connection.query(LIMIT_LOCK_WAITS_SQL) : undefined
  const first = sendPipelined(
    connection,
    () => insertReceipts(connection, attempts),
    () => lockIdempotencyKeys(connection, envelopes.map(getIdempotencyKey)),
  )
  const [[receipts, keys]] = await Promise.all([first, limited])
  return envelopes.map((envelope, index) => {
    const receipt = receipts[index]
    const key = keys[index]
    if (receipt?.state !== 'ours')
      return { by: 'receipt', outcome: receipt?.state === 'done' ? receipt.outcome : undefined }
    if (key?.state === 'answered') return { by: 'key', outcome: key.outcome }
    if (key?.state === 'refused') return { by: 'key', outcome: createRefusedOutcome(key.refusal, envelope) }
    return undefined
  })
}

/**
 * Returns the idempotency key of an attempt. For an accepted job returns null, because its key stores the response that
 * the job was accepted.
 */
const getIdempotencyKey = ({ accepted, idempotency }: Envelope) => (accepted ? null : idempotency)

/**
 * Sends the last statements of every write together. An outcome that was read from an idempotency key is not stored
 * under that key again.
 */
async function storeDecisions(
  connection: Connection,
  decisions: Map<Envelope, AttemptDecision>,
): Promise<void> {
  const decided = [...decisions].flatMap(([envelope, decision]) => {
    if (decision.by === 'receipt') return []
    const idempotency = decision.by === 'handler' ? getIdempotencyKey(envelope) : null
    return [{ attempt: envelope.attempt, idempotency, outcome: decision.outcome }]
  })
  await Promise.all([saveOutcomesUnderKeys(connection, decided), saveReceiptOutcomes(connection, decided)])
}
