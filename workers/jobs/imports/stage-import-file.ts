// Reads the file of an import into a staging table, through the process that reads untrusted files.
import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { Knex } from 'knex'
import { from as copyFrom } from 'pg-copy-streams'
import type { FilePreview } from '../../../shared/imports/layouts.ts'
import { readFile, readHead } from '../../runtime/files.ts'
import type { Write } from '../../runtime/write.ts'
import { isCompoundFile } from '../../sheets/formats/sheet.ts'
import type { AskedLayout } from '../../sheets/laid-out-files.ts'
import { LISTS, type ListName } from '../../sheets/lists/lists.ts'
import { readList } from '../../sheets/read-list.ts'

/** A temporary table of the transaction: the rows of the file, with their numbers and errors. */
export const STAGING = 'import_rows'

export type Staged = { columns: string[]; header: string[]; rows: number; preview?: FilePreview }

const LIMITS = { memoryMb: 160, timeMs: 300_000 }
// An xls is read as a whole, but has 65,536 rows at most.
const XLS_LIMITS = { ...LIMITS, memoryMb: 768 }

type StageOptions = {
  list: ListName
  rowsMax: number
  keepsCells: boolean
  layout?: AskedLayout | undefined
}

export async function stageImportFile(
  write: Write,
  fileId: string,
  { list, rowsMax, keepsCells, layout }: StageOptions,
): Promise<Staged> {
  write.report({ phase: 'reading' })
  await write.run(`
    CREATE TEMPORARY TABLE ${STAGING} (
      row_number integer NOT NULL, ${LISTS[list].staged}, errors jsonb${keepsCells ? ', cells text[]' : ''}
    ) ON COMMIT DROP`)
  await beginReading(write.database, fileId)
  const limits = isCompoundFile(await readHead(write.database, fileId)) ? XLS_LIMITS : LIMITS
  const file = readFile(write.database, fileId)
  // The number of rows is unknown; the maximum is known.
  const onProgress = (rows: number) => write.report({ phase: 'reading', share: rows / rowsMax, rows })
  const sheet = readList(file, { ...limits, rowsMax }, { list, keepsCells, layout, onProgress })
  try {
    const copy = (await write.connection()).query(copyFrom(`COPY ${STAGING} FROM STDIN`))
    // A refused file must be reported as refused, not as the broken pipe that it also causes.
    const [staged] = await Promise.all([sheet.done, pipeline(sheet.rows, copy)])
    write.report({ phase: 'read', rows: staged.rows })
    return staged
  } finally {
    sheet.rows.destroy()
    file.destroy()
    await endReading(write.database, fileId)
  }
}

// Counts the processes that read a file. One that began and never ended died from the file, or was killed
// meanwhile. A file that kills its readers must not be read forever, but a harmless file may be taken over as
// often as machines and Redis fail.
const DEAD_READERS_MAX = 1
const PROCESS_ID = randomUUID()

// Writes outside the transaction, which would be lost with the process.
async function beginReading(database: Knex, fileId: string): Promise<void> {
  const { rows } = await database.raw(
    `UPDATE files SET readers = array_append(array_remove(readers, :reader::uuid), :reader::uuid)
     WHERE id = :fileId RETURNING cardinality(readers) - 1 AS others`,
    { reader: PROCESS_ID, fileId },
  )
  const others: number = rows[0]?.others ?? 0
  if (others > DEAD_READERS_MAX) throw new Error('Its workers stopped responding')
}

// Reading ended, even if it failed: the process survived. If Postgres is unavailable, it counts as dead.
async function endReading(database: Knex, fileId: string): Promise<void> {
  await database
    .raw('UPDATE files SET readers = array_remove(readers, ?::uuid) WHERE id = ?', [PROCESS_ID, fileId])
    .catch(() => undefined)
}
