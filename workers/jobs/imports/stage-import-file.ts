// Reads the file of an import into a staging table, through the process that reads untrusted files.
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { rawConnection } from '../../runtime/connection.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { readFile, readHead } from '../../runtime/files.ts'
import { isCompoundFile } from '../../sheets/formats/sheet.ts'
import type { ListName } from '../../sheets/lists/lists.ts'
import { readList } from '../../sheets/read-list.ts'
import { beginReading, endReading } from './readers.ts'

export type Staged = { columns: string[]; header: string[] }

/** A temporary table of this transaction for the rows of a file. */
export type StagingTable = {
  name: string
  list: ListName
  rowsMax: number
  /** SQL, in the order in which workers/sheets writes them. A null cell was empty, or breaks a rule. */
  columns: string
}

const LIMITS = { memoryMb: 160, timeMs: 300_000 }
// An xls is read as a whole, but has 65,536 rows at most.
const XLS_LIMITS = { ...LIMITS, memoryMb: 768 }

export async function stageImportFile(
  trx: Transaction,
  fileId: string,
  { name, list, rowsMax, columns: listed }: StagingTable,
  { keepsCells }: { keepsCells: boolean },
  context: WorkContext,
): Promise<Staged> {
  context.report({ phase: 'reading' })
  await trx.raw(`
    CREATE TEMPORARY TABLE ${name} (
      row_number integer NOT NULL, ${listed}, errors jsonb${keepsCells ? ', cells text[]' : ''}
    ) ON COMMIT DROP`)
  await beginReading(context.database, fileId)
  const isXls = isCompoundFile(await readHead(context.database, fileId))
  const file = readFile(context.database, fileId)
  const sheet = readList(
    file,
    { ...(isXls ? XLS_LIMITS : LIMITS), rowsMax },
    {
      list,
      keepsCells,
      // The number of rows is unknown; the maximum is known.
      onProgress: (rows) => context.report({ phase: 'reading', share: rows / rowsMax, rows }),
    },
  )
  try {
    // A refused file must be reported as refused, not as the broken pipe that it also causes.
    const copied = pipeline(sheet.rows, (await rawConnection(trx)).query(copyFrom(`COPY ${name} FROM STDIN`)))
    const [columns, { rows }] = await Promise.all([sheet.columns, sheet.done, copied])
    context.report({ phase: 'read', rows })
    return { columns, header: sheet.header() }
  } finally {
    sheet.stop()
    file.destroy()
    await endReading(context.database, fileId)
  }
}
