// Users into a file, which the gateway sends while it is being written.
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { openRefusedRows } from '../../exports/refused-rows.ts'
import { openUserExport } from '../../exports/users.ts'
import { writeExport } from '../../exports/write-export.ts'

export async function exportUsers(
  trx: Transaction,
  { format }: InputOf<'users.export'>,
  context: WorkContext,
): Promise<ReplyOf<'users.export'>> {
  const name = `users-${context.now.slice(0, 10)}.${format}`
  return writeExport(await openUserExport(trx, format), name, context)
}

export async function exportRefused(
  trx: Transaction,
  { plan_id, format }: InputOf<'users.export-refused'>,
  context: WorkContext,
): Promise<ReplyOf<'users.export-refused'>> {
  const exported = await openRefusedRows(trx, plan_id, format)
  if (!exported) throw new Refusal('not_found', 'The rows of this import are no longer stored.')
  return writeExport(exported, `refused-rows-${context.now.slice(0, 10)}.${format}`, context)
}
