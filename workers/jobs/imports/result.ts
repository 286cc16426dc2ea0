// Builds the result of an import with SQL, in the format of the API.
import { describeRowError, type RowErrors } from '../../../shared/imports/headings.ts'
import { message } from '../../../shared/messages/message.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { flag, json, jsonAsText, number, objectJson, text } from '../../../shared/schemas/json.ts'
import type { ImportResult } from '../../../shared/users/users.ts'
import type { Write } from '../../runtime/write.ts'
import { IMPORT_PLAN } from './reviewed-imports.ts'

type ResultFacts = { dryRun: boolean; deleted: number; filename: string }

const rowsSql = (actions: string) =>
  json<number[]>(`coalesce(array_to_json(array_agg(row_number) FILTER (WHERE action IN (${actions}))), '[]')`)

// The limit on the messages in a result, which also contains up to 200,000 row numbers. Berth stores the result, keeps
// it under idempotency keys, and sends it.
const MESSAGES_BYTES_MAX = 512 * 1024
const PAGE_ROWS = 2_000

const RESULT_SQL = jsonAsText(
  objectJson<ImportResult>({
    dryRun: flag('?::boolean'),
    created: rowsSql("'create'"),
    updated: rowsSql("'change', 'restore'"),
    deleted: number('?::int'),
    skipped: rowsSql("'skip'"),
    errors: rowsSql("'error'"),
    errorMessages: json('?::json'),
    rows: number('count(*)'),
    filename: text('?::text'),
  }),
)

export async function finishImportResult(write: Write, { dryRun, deleted, filename }: ResultFacts) {
  const rows = `(SELECT row_number, action FROM ${IMPORT_PLAN} ORDER BY row_number) AS in_order`
  const messages = JSON.stringify(await listErrorMessages(write))
  return write.reply(RESULT_SQL, rows, [dryRun, deleted, messages, filename])
}

type ErrorRow = { row_number: number; errors: RowErrors; behind: number }

// Lists the errors of as many rows as fit within the limit. Then adds the number of remaining rows, at the first column
// of the next row.
async function listErrorMessages(write: Write): Promise<ImportResult['errorMessages']> {
  const messages: ImportResult['errorMessages'] = {}
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
      messages[row] =
        bytes <= MESSAGES_BYTES_MAX
          ? Object.fromEntries(sentences)
          : { [first]: [describeUnlistedErrors(row, behind)] }
      if (bytes > MESSAGES_BYTES_MAX) return messages
    }
    if (rows.length < PAGE_ROWS) return messages
  }
}

const describeUnlistedErrors = (row: number, behind: number) =>
  writeEnglish(
    message`Row ${row} and ${behind} more have errors that are not listed here. Correct the listed rows first.`,
  )

async function listErrors(write: Write, after: number): Promise<ErrorRow[]> {
  return write.all<ErrorRow>(
    `SELECT row_number, all_errors AS errors, count(*) OVER ()::int - row_number() OVER (ORDER BY row_number)::int AS behind
     FROM ${IMPORT_PLAN} WHERE action = 'error' AND row_number > ? ORDER BY row_number LIMIT ${PAGE_ROWS}`,
    [after],
  )
}
