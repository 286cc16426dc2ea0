// Turns a batch handler into a handler for one write, in an ordinary transaction.
import { onlyRow } from '../../../shared/database/database.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import { rawConnection } from '../../runtime/connection.ts'
import type { BatchHandler, Transaction, WriteContext } from '../../runtime/context.ts'

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
