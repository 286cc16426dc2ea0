// Exports the refused rows of an import as they were sent, with the errors of each row in a last column, so
// that they can be corrected and imported again.

import type { RowErrors } from '../../../shared/imports/headings.ts'
import { isReasonsColumn, REASONS_COLUMNS } from '../../../shared/imports/user-columns.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { writeIn } from '../../../shared/messages/catalogs.ts'
import { DEFAULT_LANGUAGE, type Language } from '../../../shared/messages/languages.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { FileReply } from '../../../shared/users/users.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { LISTS, type ListName, parseHeader } from '../../sheets/lists/lists.ts'
import { type Cell, writeXlsx } from '../../sheets/write/xlsx.ts'
import { CONTENT_TYPES, writeExport } from './copied-tables.ts'

const BATCH_ROWS = 1_000
const REASONS_WIDTH = 70
// As in the export: a formula gets an apostrophe, a telephone number does not.
const FORMULA = /^(?!\+[0-9 ]+$)'*[=+\-@\t\r]/

export const exportRefusedRows =
  (list: ListName) =>
  async (
    trx: Transaction,
    { plan_id, format, language = DEFAULT_LANGUAGE }: InputOf<'users.export-refused'>,
    context: WorkContext,
  ): Promise<FileReply> => {
    const { rows } = await trx.raw('SELECT header FROM import_plans WHERE id = ? AND expires_at > now()', [
      plan_id,
    ])
    if (!rows[0]) throw new Refusal('not_found', message`The rows of this import are no longer stored.`)
    const sent: string[] = rows[0].header
    // A file that was corrected before already has the column.
    const indexes = [...sent.keys()].filter((index) => !isReasonsColumn(sent[index] ?? ''))
    const header = [...indexes.map((index) => sent[index] ?? ''), REASONS_COLUMNS[language]]
    const refused = readRefused(trx, plan_id, { indexes, places: parseHeader(sent, LISTS[list]), language })
    const source =
      format === 'csv'
        ? writeCsv(header, refused)
        : writeXlsx(header, refused, {
            name: 'Refused rows',
            widthOf: (column) => (column === indexes.length ? REASONS_WIDTH : undefined),
          })
    const name = `refused-rows-${context.now.slice(0, 10)}.${format}`
    return writeExport({ source, contentType: CONTENT_TYPES[format] }, name, context)
  }

/** Which columns are exported, by their indexes in the file, and the language of the reasons. */
type Columns = { indexes: number[]; places: Map<string, number>; language: Language }

async function* readRefused(
  trx: Transaction,
  planId: string,
  { indexes, places, language }: Columns,
): AsyncGenerator<Cell[][]> {
  for (let ordinal = 0; ; ordinal += BATCH_ROWS) {
    const { rows } = await trx.raw(
      `SELECT cells, errors FROM import_plan_rows
       WHERE plan_id = ? AND section = 'error' AND ordinal > ? AND ordinal <= ? ORDER BY ordinal`,
      [planId, ordinal, ordinal + BATCH_ROWS],
    )
    if (rows.length === 0) return
    yield rows.map(({ cells, errors }: { cells: string[]; errors: RowErrors }): Cell[] => {
      const wrong = Object.keys(errors).map((column) => places.get(column))
      const sent = indexes.map((index): Cell => {
        const text = cells[index] ?? ''
        return wrong.includes(index) ? { text, style: 'wrong' } : text
      })
      return [...sent, { text: formatReasons(errors, language), style: 'reasons' }]
    })
    if (rows.length < BATCH_ROWS) return
  }
}

async function* writeCsv(header: string[], batches: AsyncIterable<Cell[][]>): AsyncGenerator<string> {
  const lines = (rows: Cell[][]) => rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')
  yield lines([header])
  for await (const batch of batches) yield lines(batch)
}

function csvCell(cell: Cell): string {
  const text = typeof cell === 'string' ? cell : cell.text
  const guarded = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

// The row number is left out, because the row has another number in the new file.
function formatReasons(errors: RowErrors, language: Language): string {
  return Object.values(errors)
    .flat()
    .map((rule) => (typeof rule === 'string' ? rule : `${writeIn(language, rule)}.`))
    .map((sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1))
    .join(' ')
}
