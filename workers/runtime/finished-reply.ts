// A reply that Postgres builds: one statement selects its text and the row for the audit log.
import { onlyRow } from '../../shared/database/database.ts'
import { type JsonTextSql, selectedText } from '../../shared/schemas/json.ts'
import type { JsonText } from '../../shared/utilities/json-text.ts'
import type { Transaction } from './context.ts'

type FinishedReply<Reply> = { text: JsonText<Reply>; row: unknown }

/** `statement` gets the SQL of what it must select or return, and may also select a `row`. */
export async function finishReply<Reply>(
  trx: Transaction,
  reply: JsonTextSql<Reply>,
  statement: (selected: string) => string,
  values: Parameters<Transaction['raw']>[1],
): Promise<FinishedReply<Reply>> {
  const { rows } = await trx.raw(statement(`${reply} AS text`), values)
  const { text, row } = onlyRow<{ text: string; row?: unknown }>(rows)
  return { text: selectedText(reply, text), row }
}
