// Writes the user list of an export, row by row, so that memory stays flat however long it is.
import { type EventEmitter, once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import exceljs from 'exceljs'
import papaparse from 'papaparse'

// A cell that a spreadsheet would take for a formula; a telephone number is none.
const FORMULA = /^'*[=+\-@\t\r]/
const TELEPHONE = /^\+[\d ]+$/

const BATCH_ROWS = 500

export async function* writeCsv(header: string[], rows: AsyncIterable<string[]>): AsyncGenerator<Buffer> {
  yield csvBytes([header])
  for await (const batch of inBatches(rows)) yield csvBytes(batch.map((row) => row.map(guard)))
}

/** Every cell is a text cell, as it is; only the first column, `id`, holds numbers. */
export async function* writeXlsx(header: string[], rows: AsyncIterable<string[]>): AsyncGenerator<Buffer> {
  const output = new PassThrough({ highWaterMark: 256 * 1024 })
  const written = writeWorkbook(output, header, rows).catch((error: Error) => output.destroy(error))
  yield* output as Readable & AsyncIterable<Buffer>
  await written
}

async function writeWorkbook(output: PassThrough, header: string[], rows: AsyncIterable<string[]>) {
  // Shared strings would be held in memory to the end.
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({
    stream: output,
    useSharedStrings: false,
    useStyles: true,
  })
  const sheet = workbook.addWorksheet('Users')
  // Format “@”: a spreadsheet leaves such a cell a text when somebody edits it.
  sheet.columns = header.map((_, place) => (place === 0 ? {} : { style: { numFmt: '@' } }))
  sheet.addRow(header.map(escapeText)).commit()
  for await (const batch of inBatches(rows)) {
    for (const row of batch) sheet.addRow(row.map(cellValue)).commit()
    await drained(sheet, output)
  }
  sheet.commit()
  await workbook.commit()
}

async function* inBatches(rows: AsyncIterable<string[]>): AsyncGenerator<string[][]> {
  let batch: string[][] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < BATCH_ROWS) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function csvBytes(rows: string[][]): Buffer {
  return Buffer.from(`${papaparse.unparse(rows, { newline: '\r\n' })}\r\n`)
}

function guard(cell: string): string {
  return FORMULA.test(cell) && !TELEPHONE.test(cell) ? `'${cell}` : cell
}

function cellValue(text: string, place: number): string | number | null {
  if (text === '') return null
  return place === 0 && /^\d{1,15}$/.test(text) ? Number(text) : escapeText(text)
}

// “_x0041_” stands for “A” in a spreadsheet, so a text that looks like one must be told apart. XML would make one line
// end of all, and does not know the last two signs.
function escapeText(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[\r\ufffe\uffff]/g,
      (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
}

// What exceljs writes into, as far as its types do not tell.
type Inside = { stream?: { pipes?: (EventEmitter & { _writableState?: { needDrain?: boolean } })[] } }

// exceljs knows no backpressure: it writes into its archive whether that keeps up or not, and all of the sheet would
// wait in memory. The archive's entry can be asked; it is a stream of an old make that has no writableNeedDrain.
async function drained(sheet: exceljs.Worksheet, output: PassThrough): Promise<void> {
  for (const entry of (sheet as unknown as Inside).stream?.pipes ?? []) {
    if (!entry._writableState?.needDrain || output.destroyed) continue
    const waiting = new AbortController()
    // Whoever took the file may have gone away.
    const events = [once(entry, 'drain', waiting), once(output, 'close', waiting)]
    await Promise.race(events)
    waiting.abort()
    await Promise.allSettled(events)
  }
  if (output.destroyed) throw new Error('Nobody takes the list any more')
}
