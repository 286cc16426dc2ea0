// Turns a batch handler into a handler for one write, in an ordinary transaction.
import { onlyRow } from '../../shared/database.ts'
import { Refusal } from '../../shared/refusal.ts'
import type { JsonText } from '../../shared/shapes/json-text.ts'
import { rawConnection } from '../connection.ts'
import type { BatchHandler, Transaction, WriteContext } from '../context.ts'

export function singleWrite<Input, Fact, Reply>(handler: BatchHandler<Input, Fact, Reply>) {
  return async (trx: Transaction, input: Input, context: WriteContext): Promise<JsonText<Reply>> => {
    const connection = await rawConnection(trx)
    const write = { input, context }
    const fact = onlyRow(await handler.lockFacts(connection, [write]))
    const reply = onlyRow(await handler.perform(connection, [{ write, fact }]))
    if (reply instanceof Refusal) throw reply
    return reply
  }
}
