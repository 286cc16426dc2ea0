// Reads an import file into a staging table, using the separate process that reads untrusted files.
import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { Knex } from 'knex'
import { from as copyFrom } from 'pg-copy-streams'
import type { FilePreview } from '../../../shared/imports/layouts.ts'
import { readFile, readFileStart } from '../../runtime/files.ts'
import type { Write } from '../../runtime/write.ts'
import { isCompoundFile } from '../../sheets/formats/sheet.ts'
import type { RequestedLayout } from '../../sheets/laid-out-files.ts'
import { LISTS, type ListName } from '../../sheets/lists/lists.ts'
import { readList } from '../../sheets/read-list.ts'

/** A temporary table of the transaction that contains the rows of the file, with their numbers and their errors. */
export const STAGING_TABLE = 'import_rows'

export type StagedFile = { columns: string[]; header: string[]; rows: number; preview?: FilePreview }

const READER_LIMITS = { memoryMb: 160, timeMs: 300_000 }
// The limits for reading .xls files. They are read into memory as a whole, but have at most 65,536 rows.
const XLS_LIMITS = { ...READER_LIMITS, memoryMb: 768 }

type StageOptions = {
  list: ListName
  rowsMax: number
  keepsCells: boolean
  layout?: RequestedLayout | undefined
}

export async function stageImportFile(
  write: Write,
  fileId: string,
  { list, rowsMax, keepsCells, layout }: StageOptions,
): Promise<StagedFile> {
  write.report({ phase: 'reading' })
  await write.run(`
    CREATE TEMPORARY TABLE ${STAGING_TABLE} (
      row_number integer NOT NULL, ${LISTS[list].staged}, errors jsonb${keepsCells ? ', cells text[]' : ''}
    ) ON COMMIT DROP`)
  await beginReading(write.database, fileId)
  const limits = isCompoundFile(await readFileStart(write.database, fileId)) ? XLS_LIMITS : READER_LIMITS
  const file = readFile(write.database, fileId)
  // The number of rows in the file is unknown, so the progress is relative to the maximum.
  const onProgress = (rows: number) => write.report({ phase: 'reading', share: rows / rowsMax, rows })
  const sheet = readList(file, { ...limits, rowsMax }, { list, keepsCells, layout, onProgress })
  try {
    const copy = (await write.connection()).query(copyFrom(`COPY ${STAGING_TABLE} FROM STDIN`))
    // A refused file also breaks the pipe. Waiting for both reports the refusal and not the broken pipe.
    const [staged] = await Promise.all([sheet.done, pipeline(sheet.rows, copy)])
    write.report({ phase: 'read', rows: staged.rows })
    return staged
  } finally {
    sheet.rows.destroy()
    file.destroy()
    await endReading(write.database, fileId)
  }
}

// The limit on processes that started to read a file and never finished, because the file or something else killed
// them. A file that kills its readers must not be read forever, but a harmless file may be taken over as often as
// machines and Redis fail.
const DEAD_READERS_MAX = 1
const PROCESS_ID = randomUUID()

// Records that reading begins. Writes outside the transaction, whose changes would be lost if the process dies.
async function beginReading(database: Knex, fileId: string): Promise<void> {
  const { rows } = await database.raw(
    `UPDATE files SET readers = array_append(array_remove(readers, :reader::uuid), :reader::uuid)
     WHERE id = :fileId RETURNING cardinality(readers) - 1 AS others`,
    { reader: PROCESS_ID, fileId },
  )
  const others: number = rows[0]?.others ?? 0
  if (others > DEAD_READERS_MAX) throw new Error('The workers of the job stopped responding')
}

// Records that reading ended, even with a failure, because that means that the process survived. If Postgres is
// unavailable, the process counts as dead.
async function endReading(database: Knex, fileId: string): Promise<void> {
  await database
    .raw('UPDATE files SET readers = array_remove(readers, ?::uuid) WHERE id = ?', [PROCESS_ID, fileId])
    .catch(() => undefined)
}
