// Exports the rows of one statement by COPY to a file: as csv from Postgres itself, or as a spreadsheet.
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { to as copyTo } from 'pg-copy-streams'
import type { ExportFormat, FileReply } from '../../../shared/users/users.ts'
import { writeFile } from '../../runtime/files.ts'
import type { Write } from '../../runtime/write.ts'
import { copiedRows } from '../../sheets/formats/copy-format.ts'
import { writeXlsx } from '../../sheets/write/xlsx.ts'

export const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

type ExportSource = { source: AsyncIterable<Buffer | string>; contentType: string }

export type CopiedTable = {
  sheet: string
  columns: Array<{ name: string; sql: string; isNumber?: boolean }>
  /** The statement from its FROM on. COPY takes no parameters. */
  from: string
}

export async function exportTable(
  write: Write,
  table: CopiedTable,
  { name, format }: { name: string; format: ExportFormat },
): Promise<FileReply> {
  const connection = await write.connection()
  const copy = (statement: string) => readToEnd(connection.query(copyTo(statement)))
  const source =
    format === 'csv'
      ? copy(`COPY (${selectSql(table, guardFormula)}) TO STDOUT WITH (FORMAT csv, HEADER)`)
      : writeXlsx(
          table.columns.map((column) => column.name),
          copiedRows(copy(`COPY (${selectSql(table, (cell) => cell)}) TO STDOUT`)),
          { name: table.sheet, isNumber: (index) => table.columns[index]?.isNumber === true },
        )
  return writeExport({ source, contentType: CONTENT_TYPES[format] }, `${name}.${format}`, write)
}

/** Each text goes through `write`. */
export function selectSql({ columns, from }: CopiedTable, write: (cell: string) => string): string {
  const cells = columns.map(({ name, sql, isNumber }) => `${isNumber ? sql : write(sql)} AS "${name}"`)
  return `SELECT ${cells.join(', ')} ${from}`
}

const KEPT_HOURS = 24

/** Writes a file for a waiting caller, who gets its id as soon as the first piece can be read. */
export async function writeExport({ source, contentType }: ExportSource, name: string, write: Write) {
  const file = { name, contentType, attempt: write.attempt, keptHours: KEPT_HOURS }
  const fileId = await writeFile(write.database, file, source, (id) => {
    write.report({ phase: 'writing', file: id })
  })
  return { file: fileId }
}

// An interrupted COPY leaves its connection mid-protocol, where no ROLLBACK is read. If the caller has gone,
// the rest is read and discarded.
async function* readToEnd(copied: Readable): AsyncGenerator<Buffer> {
  try {
    yield* copied.iterator({ destroyOnReturn: false })
  } finally {
    if (!copied.readableEnded && !copied.destroyed) await finished(copied.resume())
  }
}

// A cell that a spreadsheet would take for a formula gets one apostrophe, which the import removes again. A
// telephone number stays as it is. Most cells begin with a letter or a digit, and comparing them takes a
// tenth of the time of the regular expression.
export const guardFormula = (cell: string) => `CASE
  WHEN ${cell} COLLATE "C" >= 'A' THEN ${cell}
  WHEN ${cell} COLLATE "C" >= '0' AND ${cell} COLLATE "C" < '=' THEN ${cell}
  WHEN ${cell} ~ E'^\\'*[=+\\\\-@\\t\\r]' AND ${cell} !~ '^\\+[0-9 ]+$' THEN '''' || ${cell}
  ELSE nullif(${cell}, '') END`
