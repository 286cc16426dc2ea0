// Exports the rows of one statement by COPY: as csv from Postgres itself, or as a spreadsheet.
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { to as copyTo } from 'pg-copy-streams'
import type { ExportFormat } from '../../../shared/users/users.ts'
import { rawConnection } from '../../runtime/connection.ts'
import type { Transaction } from '../../runtime/context.ts'
import { copiedRows } from '../../sheets/formats/copy-format.ts'
import { type SheetOptions, writeXlsx } from '../../sheets/write/xlsx.ts'

export const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

export type ExportSource = { source: AsyncIterable<Buffer | string>; contentType: string }

export type CopiedTable = {
  header: string[]
  /** The statement; every text that a user entered goes through `write`. COPY takes no parameters. */
  sql(write: (cell: string) => string): string
  /** The options of the user export if unset. */
  sheet?: SheetOptions
}

export async function openCopiedTable(
  trx: Transaction,
  format: ExportFormat,
  { header, sql, sheet }: CopiedTable,
): Promise<ExportSource> {
  const connection = await rawConnection(trx)
  const copied = (statement: string) => readToEnd(connection.query(copyTo(statement)))
  const contentType = CONTENT_TYPES[format]
  if (format === 'csv')
    return { source: copied(`COPY (${sql(guardFormula)}) TO STDOUT WITH (FORMAT csv, HEADER)`), contentType }
  const rows = copiedRows(copied(`COPY (${sql((cell) => cell)}) TO STDOUT`))
  return { source: writeXlsx(header, rows, sheet), contentType }
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
