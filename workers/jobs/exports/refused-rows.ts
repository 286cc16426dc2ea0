// Exports the refused rows of an import as they were sent, with the errors of each row in a last column, so
// that they can be corrected and imported again.
import { PassThrough } from 'node:stream'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Worksheet } from 'exceljs'
import papaparse from 'papaparse'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { writeIn } from '../../../shared/messages/catalogs.ts'
import { DEFAULT_LANGUAGE, type Language } from '../../../shared/messages/languages.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { RowErrors } from '../../../shared/messages/row-errors.ts'
import { isReasonsColumn, REASONS_COLUMNS } from '../../../shared/users/user-columns.ts'
import type { FileReply } from '../../../shared/users/users.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { type KnownColumns, parseHeader } from '../../sheets/formats/columns.ts'
import { CONTENT_TYPES, type ExportSource } from './copied-tables.ts'
import { writeExport } from './write-export.ts'

type RefusedRowsInput = InputOf<'users.export-refused'>
type RefusedRow = { cells: string[]; errors: RowErrors }
type Batches = AsyncIterable<RefusedRow[]>
/** Which columns are exported, by their indexes in the file, and the language of the reasons. */
type Columns = {
  header: string[]
  indexes: number[]
  indexOf(column: string): number | undefined
  language: Language
}

const BATCH_ROWS = 1_000
const WIDTH = 24
const REASONS_WIDTH = 70
const BAD_FILL = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFFFC7CE' } } as const
// As in the export: a formula gets an apostrophe, a telephone number does not.
const FORMULA = /^(?!\+[0-9 ]+$)'*[=+\-@\t\r]/

/** `known` are the columns that the file may have. */
export const exportRefusedRows =
  (known: KnownColumns<string>) =>
  async (trx: Transaction, input: RefusedRowsInput, context: WorkContext): Promise<FileReply> => {
    const exported = await openRefusedRows(trx, input, known)
    if (!exported) throw new Refusal('not_found', message`The rows of this import are no longer stored.`)
    return writeExport(exported, `refused-rows-${context.now.slice(0, 10)}.${input.format}`, context)
  }

/** Undefined if the plan is no longer stored. */
async function openRefusedRows(
  trx: Transaction,
  { plan_id, format, language = DEFAULT_LANGUAGE }: RefusedRowsInput,
  known: KnownColumns<string>,
): Promise<ExportSource | undefined> {
  const { rows } = await trx.raw('SELECT header FROM import_plans WHERE id = ? AND expires_at > now()', [
    plan_id,
  ])
  if (!rows[0]) return undefined
  const columns = columnsOf(rows[0].header, known, language)
  const refused = readRefused(trx, plan_id)
  const source = format === 'csv' ? writeCsv(columns, refused) : writeWorkbook(columns, refused)
  return { source, contentType: CONTENT_TYPES[format] }
}

function columnsOf(header: string[], known: KnownColumns<string>, language: Language): Columns {
  const places = parseHeader(header, known)
  // A file that was corrected before already has the column.
  const indexes = [...header.keys()].filter((index) => !isReasonsColumn(header[index] ?? ''))
  return { header, indexes, indexOf: (column) => places.get(column), language }
}

async function* readRefused(trx: Transaction, planId: string): AsyncGenerator<RefusedRow[]> {
  for (let ordinal = 0; ; ordinal += BATCH_ROWS) {
    const { rows } = await trx.raw(
      `SELECT cells, errors FROM import_plan_rows
       WHERE plan_id = ? AND section = 'error' AND ordinal > ? AND ordinal <= ? ORDER BY ordinal`,
      [planId, ordinal, ordinal + BATCH_ROWS],
    )
    if (rows.length === 0) return
    yield rows
    if (rows.length < BATCH_ROWS) return
  }
}

async function* writeCsv({ header, indexes, language }: Columns, batches: Batches): AsyncGenerator<string> {
  const lines = (rows: string[][]) => `${papaparse.unparse(rows, { escapeFormulae: FORMULA })}\r\n`
  yield lines([[...indexes.map((index) => header[index] ?? ''), REASONS_COLUMNS[language]]])
  for await (const batch of batches)
    yield lines(
      batch.map(({ cells, errors }) => [
        ...indexes.map((index) => cells[index] ?? ''),
        reasonsOf(errors, language),
      ]),
    )
}

async function* writeWorkbook(columns: Columns, batches: Batches): AsyncGenerator<Buffer> {
  const stream = new PassThrough()
  const written = fill(stream, columns, batches)
  written.catch((error: Error) => stream.destroy(error))
  yield* stream
  await written
}

async function fill(stream: PassThrough, columns: Columns, batches: Batches): Promise<void> {
  const { header, indexes, language } = columns
  // Loaded on demand: no other code of a worker needs it.
  const { default: exceljs } = await import('exceljs')
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream, useStyles: true })
  const sheet = workbook.addWorksheet('Refused rows', { views: [{ state: 'frozen', ySplit: 1 }] })
  // Text cells, so that a spreadsheet does not reformat a license plate or an id.
  const text = { numFmt: '@' }
  sheet.columns = [
    ...indexes.map(() => ({ width: WIDTH, style: text })),
    { width: REASONS_WIDTH, style: text },
  ]
  const first = sheet.addRow([...indexes.map((index) => header[index] ?? ''), REASONS_COLUMNS[language]])
  first.font = { bold: true }
  first.commit()
  for await (const batch of batches) {
    for (const refused of batch) addRefused(sheet, columns, refused)
    // Lets other exports of this worker run.
    await yieldToEventLoop()
  }
  sheet.commit()
  await workbook.commit()
}

function addRefused(
  sheet: Worksheet,
  { indexes, indexOf, language }: Columns,
  { cells, errors }: RefusedRow,
) {
  const row = sheet.addRow([...indexes.map((index) => cells[index] ?? ''), reasonsOf(errors, language)])
  for (const column of Object.keys(errors)) {
    const index = indexOf(column)
    if (index !== undefined) row.getCell(indexes.indexOf(index) + 1).fill = BAD_FILL
  }
  row.getCell(indexes.length + 1).font = { color: { argb: 'FF9C0006' } }
  row.commit()
}

// The row number is left out, because the row has another number in the new file.
function reasonsOf(errors: RefusedRow['errors'], language: Language): string {
  const rules = Object.values(errors).flat()
  return rules.map((rule) => asSentence(rule, language)).join(' ')
}

function asSentence(rule: RowErrors[string][number], language: Language): string {
  const text = typeof rule === 'string' ? rule : `${writeIn(language, rule)}.`
  return text.charAt(0).toUpperCase() + text.slice(1)
}
