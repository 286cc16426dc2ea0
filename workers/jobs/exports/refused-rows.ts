// Exports the refused rows of an import as they were sent, with the errors of each row in a last column, so
// that they can be corrected and imported again.
import { PassThrough } from 'node:stream'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import papaparse from 'papaparse'
import type { RowErrors } from '../../../shared/imports/headings.ts'
import { isReasonsColumn, REASONS_COLUMNS } from '../../../shared/imports/user-columns.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { writeIn } from '../../../shared/messages/catalogs.ts'
import { DEFAULT_LANGUAGE, type Language } from '../../../shared/messages/languages.ts'
import { message } from '../../../shared/messages/message.ts'
import type { FileReply } from '../../../shared/users/users.ts'
import type { Write } from '../../runtime/write.ts'
import { LISTS, type ListName, parseHeader } from '../../sheets/lists/lists.ts'
import { CONTENT_TYPES, writeExport } from './copied-tables.ts'

const BATCH_ROWS = 1_000
const WIDTH = 24
const REASONS_WIDTH = 70
// Text cells, so that a spreadsheet does not reformat a license plate or an id.
const TEXT = { numFmt: '@' }
const WRONG = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFFFC7CE' } } as const
const REASONS = { color: { argb: 'FF9C0006' } }
// As in the export: a formula gets an apostrophe, a telephone number does not.
const FORMULA = /^(?!\+[0-9 ]+$)'*[=+\-@\t\r]/

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
    // A file that was corrected before already has the column.
    const indexes = [...sent.keys()].filter((index) => !isReasonsColumn(sent[index] ?? ''))
    const header = [...indexes.map((index) => sent[index] ?? ''), REASONS_COLUMNS[language]]
    const refused = readRefused(write, plan_id, { indexes, places: parseHeader(sent, LISTS[list]), language })
    const source = format === 'csv' ? writeCsv(header, refused) : writeWorkbook(header, refused)
    const name = `refused-rows-${write.now.slice(0, 10)}.${format}`
    return writeExport({ source, contentType: CONTENT_TYPES[format] }, name, write)
  }

/** The cells, and the indexes of those that are wrong. The last cell has the reasons. */
type Row = { cells: string[]; wrong: number[] }

/** Which columns are exported, by their indexes in the file, and the language of the reasons. */
type Columns = { indexes: number[]; places: Map<string, number>; language: Language }

async function* readRefused(
  write: Write,
  planId: string,
  { indexes, places, language }: Columns,
): AsyncGenerator<Row[]> {
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

async function* writeCsv(header: string[], batches: AsyncIterable<Row[]>): AsyncGenerator<string> {
  const lines = (rows: string[][]) => `${papaparse.unparse(rows, { escapeFormulae: FORMULA })}\r\n`
  yield lines([header])
  for await (const batch of batches) yield lines(batch.map(({ cells }) => cells))
}

async function* writeWorkbook(header: string[], batches: AsyncIterable<Row[]>): AsyncGenerator<Buffer> {
  const stream = new PassThrough()
  const written = fillWorkbook(stream, header, batches)
  written.catch((error: Error) => stream.destroy(error))
  yield* stream
  await written
}

async function fillWorkbook(stream: PassThrough, header: string[], batches: AsyncIterable<Row[]>) {
  // Loaded on demand: no other code of a worker needs it.
  const { default: exceljs } = await import('exceljs')
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream, useStyles: true })
  const sheet = workbook.addWorksheet('Refused rows', { views: [{ state: 'frozen', ySplit: 1 }] })
  sheet.columns = header.map((_, index) => ({
    width: index === header.length - 1 ? REASONS_WIDTH : WIDTH,
    style: TEXT,
  }))
  const first = sheet.addRow(header)
  first.font = { bold: true }
  first.commit()
  for await (const batch of batches) {
    for (const { cells, wrong } of batch) {
      const row = sheet.addRow(cells)
      for (const index of wrong) row.getCell(index + 1).fill = WRONG
      row.getCell(cells.length).font = REASONS
      row.commit()
    }
    // Lets other exports of this worker run.
    await yieldToEventLoop()
  }
  sheet.commit()
  await workbook.commit()
}

// The row number is left out, because the row has another number in the new file.
function formatReasons(errors: RowErrors, language: Language): string {
  return Object.values(errors)
    .flat()
    .map((rule) => (typeof rule === 'string' ? rule : `${writeIn(language, rule)}.`))
    .map((sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1))
    .join(' ')
}
