// The result of an import in the format of the API, built by Postgres.
import { describeRowError, type RowErrors } from '../../../shared/imports/headings.ts'
import { message } from '../../../shared/messages/message.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { flag, json, number, objectJson, text, textOf } from '../../../shared/schemas/json.ts'
import type { ImportResult } from '../../../shared/users/users.ts'
import type { Write } from '../../runtime/write.ts'
import { IMPORT_PLAN } from './reviewed-imports.ts'

type ResultFacts = { dryRun: boolean; deleted: number; filename: string }

const rowsOf = (actions: string) =>
  json<number[]>(`coalesce(array_to_json(array_agg(row_number) FILTER (WHERE action IN (${actions}))), '[]')`)

// The result also has the numbers of up to 200,000 rows, and is stored, kept under keys, and sent.
const MESSAGES_BYTES_MAX = 512 * 1024
const PAGE_ROWS = 2_000

const RESULT = textOf(
  objectJson<ImportResult>({
    dryRun: flag('?::boolean'),
    created: rowsOf("'create'"),
    updated: rowsOf("'change', 'restore'"),
    deleted: number('?::int'),
    skipped: rowsOf("'skip'"),
    errors: rowsOf("'error'"),
    errorMessages: json('?::json'),
    rows: number('count(*)'),
    filename: text('?::text'),
  }),
)

export async function finishImportResult(write: Write, { dryRun, deleted, filename }: ResultFacts) {
  const rows = `(SELECT row_number, action FROM ${IMPORT_PLAN} ORDER BY row_number) AS in_order`
  const messages = JSON.stringify(await listErrorMessages(write))
  return write.reply(RESULT, rows, [dryRun, deleted, messages, filename])
}

type ErrorRow = { row_number: number; errors: RowErrors; behind: number }

// The errors of the first rows, as many as fit; then the number of further rows, at the next row's first
// column.
async function listErrorMessages(write: Write): Promise<ImportResult['errorMessages']> {
  const told: ImportResult['errorMessages'] = {}
  let bytes = 0
  for (let last = 0, rows: ErrorRow[]; ; last = rows.at(-1)?.row_number ?? last) {
    rows = await listErrors(write, last)
    for (const { row_number: row, errors, behind } of rows) {
      const sentences = Object.entries(errors).map(([column, rules]): [string, string[]] => [
        column,
        rules.map((rule) => writeEnglish(describeRowError(row, rule))),
      ])
      bytes += Buffer.byteLength(JSON.stringify(sentences))
      const [[first] = ['email']] = sentences
      told[row] =
        bytes <= MESSAGES_BYTES_MAX ? Object.fromEntries(sentences) : { [first]: [unlisted(row, behind)] }
      if (bytes > MESSAGES_BYTES_MAX) return told
    }
    if (rows.length < PAGE_ROWS) return told
  }
}

const unlisted = (row: number, behind: number) =>
  writeEnglish(
    message`Row ${row} and ${behind} more have errors that are not listed here. Correct those above first.`,
  )

async function listErrors(write: Write, after: number): Promise<ErrorRow[]> {
  return write.all<ErrorRow>(
    `SELECT row_number, all_errors AS errors, count(*) OVER ()::int - row_number() OVER (ORDER BY row_number)::int AS behind
     FROM ${IMPORT_PLAN} WHERE action = 'error' AND row_number > ? ORDER BY row_number LIMIT ${PAGE_ROWS}`,
    [after],
  )
}
