// Reads the file of an import into its staging table, by way of the process that reads foreign files.
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { invalid } from '../../shared/refusal.ts'
import { rawConnection } from '../connection.ts'
import type { Transaction, WorkContext } from '../context.ts'
import { isKept, readFile, readHead } from '../files.ts'
import { readUserSheet } from '../sheets/read-users.ts'
import { isCompoundFile } from '../sheets/sheet.ts'
import { analyzeStaging, createStaging, STAGING } from './staging.ts'

export type Staged = { columns: string[]; header: string[] }

const LIMITS = { rowsMax: 200_000, memoryMb: 160, timeMs: 300_000 }
// An xls is read as a whole, but has 65,536 rows at most.
const XLS_LIMITS = { ...LIMITS, memoryMb: 768 }

export async function stage(
  trx: Transaction,
  { file_id: fileId, details = false }: { file_id: string; details?: boolean | undefined },
  context: WorkContext,
): Promise<Staged> {
  context.report({ percent: 1, step: 'reading' })
  if (details && !(await isKept(context.database, fileId))) throw gone()
  await createStaging(trx, details)
  const isXls = isCompoundFile(await readHead(context.database, fileId))
  const file = readFile(context.database, fileId)
  const sheet = readUserSheet(file, isXls ? XLS_LIMITS : LIMITS, {
    keepsCells: details,
    // How many there are nobody knows; how many there may be is known.
    onProgress: (rows) =>
      context.report({ percent: 1 + Math.floor((48 * rows) / LIMITS.rowsMax), step: 'reading', rows }),
  })
  try {
    // A refused file must be told as such, and not as the broken pipe that it is too.
    const copied = pipeline(
      sheet.rows,
      (await rawConnection(trx)).query(copyFrom(`COPY ${STAGING} FROM STDIN`)),
    )
    const [columns, { rows }] = await Promise.all([sheet.columns, sheet.done, copied])
    await analyzeStaging(trx)
    context.report({ percent: 50, step: 'read', rows })
    return { columns, header: sheet.header() }
  } finally {
    sheet.stop()
    file.destroy()
  }
}

export async function refuseEmpty(trx: Transaction): Promise<void> {
  const { rows } = await trx.raw(`SELECT count(*)::int AS number FROM ${STAGING}`)
  if (rows[0].number > 0) return
  throw invalid({ file: ['The file has no rows: with “deactivate” it would switch everybody off.'] })
}

function gone() {
  return invalid({ file: ['The file is not kept any more: it was applied, or is older than 24 hours.'] })
}
