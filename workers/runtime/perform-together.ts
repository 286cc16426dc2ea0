// Performs attempts of one kind in one transaction, with as many statements as one attempt needs. A fault in
// any of them undoes them all, and then each runs alone.
import type { Knex } from 'knex'
import type { Envelope, Outcome } from '../../shared/jobs/jobs.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { pipelinedTransaction } from './connection.ts'
import type { BatchHandler } from './context.ts'
import { keepOutcomes } from './idempotency.ts'
import { refusedOutcome } from './outcomes.ts'
import { contextOf, doneOutcome } from './perform.ts'
import { claim, type Performed } from './prior-outcomes.ts'
import { storeOutcomes } from './receipts.ts'

/** Results are in the order of the attempts. */
export async function performTogether<Input, Fact, Reply extends object>(
  database: Knex,
  envelopes: Array<Envelope<Input>>,
  handler: BatchHandler<Input, Fact, Reply>,
): Promise<Performed[]> {
  const attempts = envelopes.map((envelope) => ({
    envelope,
    write: { input: envelope.input, context: contextOf(envelope) },
  }))
  return pipelinedTransaction(database, async (connection, last) => {
    const [decided, facts] = await Promise.all([
      claim(connection, envelopes),
      handler.lockFacts(
        connection,
        attempts.map(({ write }) => write),
      ),
    ])
    const open = attempts.flatMap(({ envelope, write }, index) => {
      const fact = facts[index]
      return decided[index] || fact === undefined ? [] : [{ envelope, write, fact }]
    })
    const replies = open.length > 0 ? await handler.perform(connection, open) : []
    const done = open.map(({ envelope }, index) => ({
      ...envelope,
      outcome: outcomeOf(replies[index], envelope),
    }))
    const byKey = envelopes.flatMap((envelope, index) => {
      const known = decided[index]
      return known?.by === 'key' ? [{ ...envelope, outcome: known.outcome }] : []
    })
    last(keepOutcomes(connection, done))
    last(storeOutcomes(connection, [...done, ...byKey]))
    const outcomes = new Map(done.map(({ attempt, outcome }) => [attempt, outcome]))
    return envelopes.map(({ attempt }, index) => decided[index]?.outcome ?? outcomes.get(attempt))
  })
}

function outcomeOf<Reply extends object>(
  reply: Awaited<ReturnType<BatchHandler<unknown, unknown, Reply>['perform']>>[number] | undefined,
  envelope: Envelope,
): Outcome {
  if (reply === undefined) throw new Error('The handler returned no reply for a write')
  return reply instanceof Refusal ? refusedOutcome(reply, envelope) : doneOutcome<Reply>(reply)
}
