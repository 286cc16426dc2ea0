// Reads the file of an import into its staging table, by way of the process that reads foreign files.
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { invalid } from '../../shared/refusal.ts'
import { rawConnection } from '../connection.ts'
import type { Transaction, WorkContext } from '../context.ts'
import { readFile, readHead } from '../files.ts'
import { readUserSheet } from '../sheets/read-users.ts'
import { isCompoundFile } from '../sheets/sheet.ts'
import { beginReading, endReading } from './readers.ts'
import { analyzeStaging, createStaging, STAGING } from './staging.ts'

export type Staged = { columns: string[]; header: string[] }

const LIMITS = { rowsMax: 200_000, memoryMb: 160, timeMs: 300_000 }
// An xls is read as a whole, but has 65,536 rows at most.
const XLS_LIMITS = { ...LIMITS, memoryMb: 768 }

export async function stageImportFile(
  trx: Transaction,
  fileId: string,
  { keepsCells }: { keepsCells: boolean },
  context: WorkContext,
): Promise<Staged> {
  context.report({ phase: 'reading' })
  await createStaging(trx, keepsCells)
  await beginReading(context.database, fileId)
  const isXls = isCompoundFile(await readHead(context.database, fileId))
  const file = readFile(context.database, fileId)
  const sheet = readUserSheet(file, isXls ? XLS_LIMITS : LIMITS, {
    keepsCells,
    // How many there are nobody knows; how many there may be is known.
    onProgress: (rows) => context.report({ phase: 'reading', share: rows / LIMITS.rowsMax, rows }),
  })
  try {
    // A refused file must be told as such, and not as the broken pipe that it is too.
    const copied = pipeline(
      sheet.rows,
      (await rawConnection(trx)).query(copyFrom(`COPY ${STAGING} FROM STDIN`)),
    )
    const [columns, { rows }] = await Promise.all([sheet.columns, sheet.done, copied])
    await analyzeStaging(trx)
    context.report({ phase: 'read', rows })
    return { columns, header: sheet.header() }
  } finally {
    sheet.stop()
    file.destroy()
    await endReading(context.database, fileId)
  }
}

export async function refuseEmptyFile(trx: Transaction): Promise<void> {
  const { rows } = await trx.raw(`SELECT count(*)::int AS number FROM ${STAGING}`)
  if (rows[0].number > 0) return
  throw invalid({ file: ['The file has no rows. With “deactivate”, it would deactivate everybody.'] })
}
