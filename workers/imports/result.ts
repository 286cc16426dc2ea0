// The result of an import, as the interface words it: finished by Postgres.
import type { ImportResult } from '../../shared/contracts/users.ts'
import { flag, json, number, objectJson, text, textOf } from '../../shared/shapes/json.ts'
import type { JsonText } from '../../shared/shapes/json-text.ts'
import type { Transaction } from '../context.ts'
import { finishReply } from '../finished-reply.ts'
import { IMPORT_PLAN } from './import-plan.ts'

export type ResultFacts = { dryRun: boolean; deleted: number; filename: string }

const rowsOf = (actions: string) =>
  json<number[]>(`coalesce(array_to_json(array_agg(row_number) FILTER (WHERE action IN (${actions}))), '[]')`)

// Beside them there are the numbers of up to 200,000 rows; and a result is stored, kept under keys, and sent.
const MESSAGES_BYTES_MAX = 512 * 1024

// Of the first rows, as many as there is room for; then how many more there are, with the next row, under its first column.
const MESSAGES = `(
  SELECT coalesce(json_object_agg(row_number, CASE
    WHEN bytes <= ${MESSAGES_BYTES_MAX} THEN all_errors
    ELSE jsonb_build_object((SELECT min(key) FROM jsonb_object_keys(all_errors) AS keys (key)), jsonb_build_array(
      'Row ' || row_number || ' and ' || behind || ' more have errors that are not listed here. Correct those above first.'))
    END ORDER BY row_number), '{}')
  FROM (
    SELECT row_number, all_errors, bytes, lag(bytes, 1, 0::bigint) OVER in_order AS bytes_before,
      count(*) OVER () - row_number() OVER in_order AS behind
    FROM (
      SELECT row_number, all_errors, sum(octet_length(all_errors::text)) OVER (ORDER BY row_number) AS bytes
      FROM ${IMPORT_PLAN} WHERE action = 'error'
    ) AS summed
    WINDOW in_order AS (ORDER BY row_number)
  ) AS told
  WHERE bytes_before <= ${MESSAGES_BYTES_MAX}
)`

const RESULT = textOf(
  objectJson<ImportResult>({
    dryRun: flag('?::boolean'),
    created: rowsOf("'create'"),
    updated: rowsOf("'change', 'restore'"),
    deleted: number('?::int'),
    skipped: rowsOf("'skip'"),
    errors: rowsOf("'error'"),
    errorMessages: json(MESSAGES),
    rows: number('count(*)'),
    filename: text('?::text'),
  }),
)

export async function finishImportResult(
  trx: Transaction,
  { dryRun, deleted, filename }: ResultFacts,
): Promise<JsonText<ImportResult>> {
  const statement = (text: string) =>
    `SELECT ${text} FROM (SELECT row_number, action FROM ${IMPORT_PLAN} ORDER BY row_number) AS in_order`
  return (await finishReply(trx, RESULT, statement, [dryRun, deleted, filename])).text
}
