// The staging table for the rows of a file of users.
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { type Staged, type StagingTable, stageImportFile } from './stage-import-file.ts'

export const STAGING = 'import_rows'

const USERS: StagingTable = {
  name: STAGING,
  list: 'users',
  rowsMax: 200_000,
  columns:
    'id bigint, email text, upn text, name text, attributes jsonb, groups text[], license_plates text[]',
}

export async function stageUsers(
  trx: Transaction,
  { file_id, deactivate }: { file_id: string; deactivate: boolean },
  options: { keepsCells: boolean },
  context: WorkContext,
): Promise<Staged> {
  // Enough memory to hash a hundred thousand rows; a small sample is enough to know that there are so many.
  await trx.raw("SET LOCAL work_mem = '64MB'; SET LOCAL default_statistics_target = 10")
  const staged = await stageImportFile(trx, file_id, USERS, options, context)
  // Without statistics the planner would not expect a hundred thousand rows in its joins.
  await trx.raw(`ANALYZE ${STAGING} (row_number, id, email, upn)`)
  if (deactivate) await refuseEmptyFile(trx)
  return staged
}

async function refuseEmptyFile(trx: Transaction): Promise<void> {
  const { rows } = await trx.raw(`SELECT count(*)::int AS number FROM ${STAGING}`)
  if (rows[0].number > 0) return
  throw invalid({ file: [message`The file has no rows. With “deactivate”, it would deactivate everybody.`] })
}
