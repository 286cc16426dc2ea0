// The result of an import, as the interface words it: finished by Postgres.
import type { ImportResult } from '../../shared/contracts/users.ts'
import { json, objectJson, textOf } from '../../shared/shapes/json.ts'
import type { JsonText } from '../../shared/shapes/json-text.ts'
import type { Transaction } from '../context.ts'
import { finishReply } from '../finished-reply.ts'
import { IMPORT_PLAN } from './import-plan.ts'

export type ResultFacts = { dryRun: boolean; deleted: number; filename: string }

const rowsOf = (actions: string) =>
  `coalesce(array_to_json(array_agg(row_number) FILTER (WHERE action IN (${actions}))), '[]')`

const RESULT = textOf(
  objectJson<ImportResult>({
    dryRun: '?::boolean',
    created: rowsOf("'create'"),
    updated: rowsOf("'change', 'restore'"),
    deleted: '?::int',
    skipped: rowsOf("'skip'"),
    errors: rowsOf("'error'"),
    errorMessages: json(
      "coalesce(json_object_agg(row_number, all_errors) FILTER (WHERE action = 'error'), '{}')",
    ),
    rows: 'count(*)',
    filename: '?::text',
  }),
)

export async function finishImportResult(
  trx: Transaction,
  { dryRun, deleted, filename }: ResultFacts,
): Promise<JsonText<ImportResult>> {
  const statement = (text: string) =>
    `SELECT ${text} FROM (SELECT row_number, action, all_errors FROM ${IMPORT_PLAN} ORDER BY row_number) AS in_order`
  return (await finishReply(trx, RESULT, statement, [dryRun, deleted, filename])).text
}
