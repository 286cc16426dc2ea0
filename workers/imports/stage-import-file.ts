// Reads the file of an import into a staging table, by way of the process that reads foreign files.
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { message } from '../../shared/messages/message.ts'
import { invalid } from '../../shared/refusal.ts'
import { rawConnection } from '../connection.ts'
import type { Transaction, WorkContext } from '../context.ts'
import { isStored, readFile, readHead } from '../files.ts'
import type { ListName } from '../sheets/lists/lists.ts'
import { readList } from '../sheets/read-list.ts'
import { isCompoundFile } from '../sheets/sheet.ts'
import { beginReading, endReading } from './readers.ts'
import { STAGING } from './staging.ts'

export type Staged = { columns: string[]; header: string[] }

/** A table of this transaction only, for the rows of a file: its columns in the order in which workers/sheets writes them. */
export type StagingTable = {
  name: string
  list: ListName
  rowsMax: number
  /** `keepsCells`: the cells of each row, as they were sent, come last. */
  create(trx: Transaction, keepsCells: boolean): Promise<void>
}

const LIMITS = { memoryMb: 160, timeMs: 300_000 }
// An xls is read as a whole, but has 65,536 rows at most.
const XLS_LIMITS = { ...LIMITS, memoryMb: 768 }

export async function stageImportFile(
  trx: Transaction,
  fileId: string,
  { name, list, rowsMax, create }: StagingTable,
  { keepsCells }: { keepsCells: boolean },
  context: WorkContext,
): Promise<Staged> {
  context.report({ phase: 'reading' })
  await create(trx, keepsCells)
  await beginReading(context.database, fileId)
  const isXls = isCompoundFile(await readHead(context.database, fileId))
  const file = readFile(context.database, fileId)
  const sheet = readList(
    file,
    { ...(isXls ? XLS_LIMITS : LIMITS), rowsMax },
    {
      list,
      keepsCells,
      // How many there are nobody knows; how many there may be is known.
      onProgress: (rows) => context.report({ phase: 'reading', share: rows / rowsMax, rows }),
    },
  )
  try {
    // A refused file must be told as such, and not as the broken pipe that it is too.
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

export async function refuseDeletedFile(fileId: string, { database }: WorkContext): Promise<void> {
  if (await isStored(database, fileId)) return
  throw invalid({
    file: [message`The file is no longer stored: it has been applied, or it is older than 24 hours.`],
  })
}

export async function refuseEmptyFile(trx: Transaction): Promise<void> {
  const { rows } = await trx.raw(`SELECT count(*)::int AS number FROM ${STAGING}`)
  if (rows[0].number > 0) return
  throw invalid({ file: [message`The file has no rows. With “deactivate”, it would deactivate everybody.`] })
}
