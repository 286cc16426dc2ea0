// The result of an import, as the interface words it: finished by Postgres.
import { onlyRow } from '../../shared/database.ts'
import type { Transaction } from '../context.ts'
import { PLAN } from './plan.ts'

export type ResultFacts = { dryRun: boolean; deleted: number; filename: string }

const rowsOf = (actions: string) =>
  `coalesce(array_to_json(array_agg(row_number) FILTER (WHERE action IN (${actions}))), '[]')`

export async function resultText(
  trx: Transaction,
  { dryRun, deleted, filename }: ResultFacts,
): Promise<string> {
  const { rows } = await trx.raw(
    `SELECT json_build_object(
       'dryRun', ?::boolean,
       'created', ${rowsOf("'create'")},
       'updated', ${rowsOf("'change', 'restore'")},
       'deleted', ?::int,
       'skipped', ${rowsOf("'skip'")},
       'errors', ${rowsOf("'error'")},
       'errorMessages', coalesce(json_object_agg(row_number, all_errors) FILTER (WHERE action = 'error'), '{}'),
       'rows', count(*),
       'filename', ?::text
     )::text AS body
     FROM (SELECT row_number, action, all_errors FROM ${PLAN} ORDER BY row_number) AS in_order`,
    [dryRun, deleted, filename],
  )
  return onlyRow<{ body: string }>(rows).body
}
