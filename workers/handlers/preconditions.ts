// If-Match: refuses a write that was made for another state of a resource. Its row is locked already: nothing changes after
// the look, and what was committed before the lock is seen by it.
import { onlyRow } from '../../shared/database.ts'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/refusal.ts'
import { etagOf } from '../../shared/utilities/etags.ts'
import type { Transaction } from '../context.ts'

/** `select`: the statement whose text is the answer of the resource's GET. Without ETags there is no condition, and no statement. */
export async function requireMatch(
  trx: Transaction,
  etags: string[] | undefined,
  select: string,
  values: Parameters<Transaction['raw']>[1],
): Promise<void> {
  if (etags === undefined) return
  const { rows } = await trx.raw(select, values)
  const { body } = onlyRow<{ body: string }>(rows)
  if (etags.includes(etagOf(body))) return
  throw new Refusal('precondition_failed', message`It has been changed since this ETag. Nothing was done.`)
}
