// Exports the rows of one statement to a file with COPY: as a CSV that Postgres writes itself, or as a spreadsheet.
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { to as copyTo } from 'pg-copy-streams'
import type { ExportFormat, FileReply } from '../../../shared/users/users.ts'
import { writeFile } from '../../runtime/files.ts'
import type { Write } from '../../runtime/write.ts'
import { parseCopiedRows } from '../../sheets/formats/copy-format.ts'
import { writeXlsx } from '../../sheets/write/xlsx.ts'

export const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

type ExportSource = { source: AsyncIterable<Buffer | string>; contentType: string }

export type ExportedTable = {
  sheet: string
  columns: Array<{ name: string; sql: string; isNumber?: boolean }>
  /** The SQL statement from FROM onwards. It contains literals, because COPY takes no parameters. */
  from: string
}

export async function exportTable(
  write: Write,
  table: ExportedTable,
  { name, format }: { name: string; format: ExportFormat },
): Promise<FileReply> {
  const connection = await write.connection()
  const copy = (statement: string) => readCopyToEnd(connection.query(copyTo(statement)))
  const source =
    format === 'csv'
      ? copy(`COPY (${selectSql(table, guardFormulaSql)}) TO STDOUT WITH (FORMAT csv, HEADER)`)
      : writeXlsx(
          table.columns.map((column) => column.name),
          parseCopiedRows(copy(`COPY (${selectSql(table, (cell) => cell)}) TO STDOUT`)),
          { name: table.sheet, isNumber: (index) => table.columns[index]?.isNumber === true },
        )
  return writeExport({ source, contentType: CONTENT_TYPES[format] }, `${name}.${format}`, write)
}

/** Builds the SELECT of an export. `write` wraps the SQL of each text cell. */
export function selectSql({ columns, from }: ExportedTable, write: (cell: string) => string): string {
  const cells = columns.map(({ name, sql, isNumber }) => `${isNumber ? sql : write(sql)} AS "${name}"`)
  return `SELECT ${cells.join(', ')} ${from}`
}

const FILE_KEPT_HOURS = 24

/** Writes a file for a waiting caller. The caller gets the id of the file as soon as the first chunk can be read. */
export async function writeExport({ source, contentType }: ExportSource, name: string, write: Write) {
  const file = { name, contentType, attempt: write.attempt, keptHours: FILE_KEPT_HOURS }
  const fileId = await writeFile(write.database, file, source, (id) => {
    write.report({ phase: 'writing', file: id })
  })
  return { file: fileId }
}

// Yields the chunks of a COPY. If the caller has disconnected, reads and discards the rest: after an
// interrupted COPY, the connection would not even accept a ROLLBACK.
async function* readCopyToEnd(copied: Readable): AsyncGenerator<Buffer> {
  try {
    yield* copied.iterator({ destroyOnReturn: false })
  } finally {
    if (!copied.readableEnded && !copied.destroyed) await finished(copied.resume())
  }
}

// SQL that prefixes a cell with an apostrophe if a spreadsheet would treat the cell as a formula. The import removes
// the apostrophe again. Phone numbers stay unchanged. Most cells begin with a letter or a digit, and checking that
// first takes a tenth of the time of the regular expression.
export const guardFormulaSql = (cell: string) => `CASE
  WHEN ${cell} COLLATE "C" >= 'A' THEN ${cell}
  WHEN ${cell} COLLATE "C" >= '0' AND ${cell} COLLATE "C" < '=' THEN ${cell}
  WHEN ${cell} ~ E'^\\'*[=+\\\\-@\\t\\r]' AND ${cell} !~ '^\\+[0-9 ]+$' THEN '''' || ${cell}
  ELSE nullif(${cell}, '') END`
