// If-Match: refuses a write that was made for another state of the resource. The row is locked already, so
// the check is final. A write answers with the ETag of the new state.
import { onlyRow } from '../../../shared/database/database.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import type { Transaction } from '../../runtime/context.ts'

type Values = Parameters<Transaction['raw']>[1]

/** `select` returns the body of the resource's GET. Without ETags there is no condition and no query. */
export async function requireMatch(
  trx: Transaction,
  etags: string[] | undefined,
  select: string,
  values: Values,
): Promise<void> {
  if (etags === undefined || etags.includes(await findETag(trx, select, values))) return
  throw new Refusal('precondition_failed', message`It has been changed since this ETag. Nothing was done.`)
}

/** The ETag that the resource's GET has once this transaction is committed. */
export async function findETag(trx: Transaction, select: string, values: Values): Promise<string> {
  const { rows } = await trx.raw(select, values)
  return etagOf(onlyRow<{ body: string }>(rows).body)
}
