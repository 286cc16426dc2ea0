// Exports users to a file, which the gateway sends while it is being written.
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { USER_COLUMNS } from '../../sheets/formats/columns.ts'
import { exportRefusedRows } from '../exports/refused-rows.ts'
import { openUserExport } from '../exports/users.ts'
import { writeExport } from '../exports/write-export.ts'

export async function exportUsers(
  trx: Transaction,
  { format }: InputOf<'users.export'>,
  context: WorkContext,
): Promise<ReplyOf<'users.export'>> {
  const name = `users-${context.now.slice(0, 10)}.${format}`
  return writeExport(await openUserExport(trx, format), name, context)
}

export const exportRefused = exportRefusedRows(USER_COLUMNS)
