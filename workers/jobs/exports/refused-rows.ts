// Exports the rows that an import refused, as they were sent, so that people can correct them and import them again. An
// additional last column contains the errors of each row.
import { PassThrough } from 'node:stream'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import papaparse from 'papaparse'
import type { RowErrors } from '../../../shared/imports/headings.ts'
import { isReasonsColumn, REASONS_COLUMNS } from '../../../shared/imports/user-columns.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { writeInLanguage } from '../../../shared/messages/catalogs.ts'
import { DEFAULT_LANGUAGE, type Language } from '../../../shared/messages/languages.ts'
import { message } from '../../../shared/messages/message.ts'
import type { FileReply } from '../../../shared/users/users.ts'
import type { Write } from '../../runtime/write.ts'
import { LISTS, type ListName, parseHeader } from '../../sheets/lists/lists.ts'
import { CONTENT_TYPES, writeExport } from './copied-tables.ts'

const BATCH_ROWS = 1_000
const COLUMN_WIDTH = 24
const REASONS_WIDTH = 70
// The cells have the text format, so that a spreadsheet does not reformat a license plate or an id.
const TEXT_STYLE = { numFmt: '@' }
const INVALID_CELL_FILL = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFFFC7CE' } } as const
const REASONS_FONT = { color: { argb: 'FF9C0006' } }
// Matches formulas, which get an apostrophe, as in other exports. Phone numbers do not.
const FORMULA_PATTERN = /^(?!\+[0-9 ]+$)'*[=+\-@\t\r]/

export const exportRefusedRows =
  (list: ListName) =>
  async (
    write: Write,
    { plan_id, format, language = DEFAULT_LANGUAGE }: InputOf<'users.export-refused'>,
  ): Promise<FileReply> => {
    const { header: sent } = await write.requireRow<{ header: string[] }>(
      'SELECT header FROM import_plans WHERE id = ? AND expires_at > now()',
      [plan_id],
      message`The rows of this import are no longer stored.`,
    )
    // Removes this column from the file if the file was itself an export of refused rows.
    const indexes = [...sent.keys()].filter((index) => !isReasonsColumn(sent[index] ?? ''))
    const header = [...indexes.map((index) => sent[index] ?? ''), REASONS_COLUMNS[language]]
    const refused = readRefusedRows(write, plan_id, {
      indexes,
      places: parseHeader(sent, LISTS[list]),
      language,
    })
    const source = format === 'csv' ? writeCsv(header, refused) : writeWorkbook(header, refused)
    const name = `refused-rows-${write.now.slice(0, 10)}.${format}`
    return writeExport({ source, contentType: CONTENT_TYPES[format] }, name, write)
  }

/** The cells of a row, and the indexes of the invalid cells. The last cell contains the reasons. */
type RefusedRow = { cells: string[]; wrong: number[] }

/** The exported columns by their indexes in the file, and the language of the reasons. */
type ExportedColumns = { indexes: number[]; places: Map<string, number>; language: Language }

async function* readRefusedRows(
  write: Write,
  planId: string,
  { indexes, places, language }: ExportedColumns,
): AsyncGenerator<RefusedRow[]> {
  for (let ordinal = 0; ; ordinal += BATCH_ROWS) {
    const rows = await write.all<{ cells: string[]; errors: RowErrors }>(
      `SELECT cells, errors FROM import_plan_rows
       WHERE plan_id = ? AND section = 'error' AND ordinal > ? AND ordinal <= ? ORDER BY ordinal`,
      [planId, ordinal, ordinal + BATCH_ROWS],
    )
    if (rows.length === 0) return
    yield rows.map(({ cells, errors }) => {
      const wrong = Object.keys(errors).map((column) => indexes.indexOf(places.get(column) ?? -1))
      return {
        cells: [...indexes.map((index) => cells[index] ?? ''), formatReasons(errors, language)],
        wrong: wrong.filter((index) => index >= 0),
      }
    })
    if (rows.length < BATCH_ROWS) return
  }
}

async function* writeCsv(header: string[], batches: AsyncIterable<RefusedRow[]>): AsyncGenerator<string> {
  const lines = (rows: string[][]) => `${papaparse.unparse(rows, { escapeFormulae: FORMULA_PATTERN })}\r\n`
  yield lines([header])
  for await (const batch of batches) yield lines(batch.map(({ cells }) => cells))
}

async function* writeWorkbook(
  header: string[],
  batches: AsyncIterable<RefusedRow[]>,
): AsyncGenerator<Buffer> {
  const stream = new PassThrough()
  const written = fillWorkbook(stream, header, batches)
  written.catch((error: Error) => stream.destroy(error))
  yield* stream
  await written
}

async function fillWorkbook(stream: PassThrough, header: string[], batches: AsyncIterable<RefusedRow[]>) {
  // exceljs is loaded on demand, because no other code of a worker needs it.
  const { default: exceljs } = await import('exceljs')
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream, useStyles: true })
  const sheet = workbook.addWorksheet('Refused rows', { views: [{ state: 'frozen', ySplit: 1 }] })
  sheet.columns = header.map((_, index) => ({
    width: index === header.length - 1 ? REASONS_WIDTH : COLUMN_WIDTH,
    style: TEXT_STYLE,
  }))
  const first = sheet.addRow(header)
  first.font = { bold: true }
  first.commit()
  for await (const batch of batches) {
    for (const { cells, wrong } of batch) {
      const row = sheet.addRow(cells)
      for (const index of wrong) row.getCell(index + 1).fill = INVALID_CELL_FILL
      row.getCell(cells.length).font = REASONS_FONT
      row.commit()
    }
    // Lets other exports of this worker run.
    await yieldToEventLoop()
  }
  sheet.commit()
  await workbook.commit()
}

// Formats the errors of a row. Omits the number of the row, because the row has a different number in the new file.
function formatReasons(errors: RowErrors, language: Language): string {
  return Object.values(errors)
    .flat()
    .map((rule) => (typeof rule === 'string' ? rule : `${writeInLanguage(language, rule)}.`))
    .map((sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1))
    .join(' ')
}
