// Stores the plan of an import of desks, rooms and parking for review in the dashboard; its digest identifies
// it.
import { createHash } from 'node:crypto'
import type { BookableImportCounts } from '../../../../shared/bookables/bookable-imports.ts'
import type { Transaction } from '../../../runtime/context.ts'
import type { PlannedRow } from './planned-rows.ts'
import { STAGING } from './staging.ts'

/** Equal for two plans that make the same changes to the same bookables, with the same values before. */
export function digestImportPlan(rows: PlannedRow[]): string {
  const told = rows.map(({ row_number, section, bookable_id, changes }) =>
    changes === null ? [row_number, section] : [row_number, section, bookable_id, changes],
  )
  return createHash('sha256').update(JSON.stringify(told)).digest('hex')
}

export function countImportPlan(rows: PlannedRow[]): BookableImportCounts {
  const counts: BookableImportCounts = { create: 0, change: 0, skip: 0, error: 0 }
  for (const { section } of rows) counts[section]++
  return counts
}

export async function storePlannedRows(trx: Transaction, id: string, rows: PlannedRow[]): Promise<void> {
  const told = rows.map(({ fields: _, ...row }) => row)
  await trx.raw(
    `INSERT INTO import_plan_rows (plan_id, section, ordinal, row_number, bookable_id, name, reason, changes, errors, cells)
     SELECT ?, section, row_number() OVER (PARTITION BY section ORDER BY row_number), row_number, bookable_id, planned.name,
       CASE section WHEN 'skip' THEN 'same' END, changes, planned.errors, CASE section WHEN 'error' THEN cells END
     FROM jsonb_to_recordset(?::jsonb) AS planned (
       row_number integer, section text, bookable_id bigint, name text, changes jsonb, errors jsonb
     ) JOIN ${STAGING} USING (row_number)`,
    [id, JSON.stringify(told)],
  )
}
