// Changes the rows of locked bookables in one statement, with an entry in the audit log for each.
import { auditEach, type RecordedAction } from '../../../shared/audit/audit.ts'
import { readFormer } from '../../../shared/changes/former.ts'
import { listNames, type Value } from '../../../shared/messages/message.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { type AuditedRow, auditedRow } from '../kit/rows.ts'

type Update = {
  action?: RecordedAction
  /** SQL after SET, with named values. */
  set: string
  values?: Record<string, string | number>
  /** SQL: a table `given` with a row for each id, for `set`. */
  given?: string
  /** SQL of what the audit log stores. */
  audited?: string
}

/** Returns how many were changed: all of them. */
export async function updateBookables(
  trx: Transaction,
  before: AuditedRow[],
  { action = 'bookables.edit', set, values, given, audited = auditedRow('bookables') }: Update,
  context: WorkContext,
): Promise<{ data: { changed: number } }> {
  const ids = before.map(({ id }) => id)
  const former = await readFormer(trx, 'bookables', ids)
  const { rows } = await trx.raw(
    `UPDATE bookables SET ${set}, updated_at = now() ${given ? `FROM ${given}` : ''}
     WHERE bookables.id = ANY(CAST(:ids AS bigint[])) ${given ? 'AND given.id = bookables.id' : ''} RETURNING ${audited}`,
    { ...values, ids },
  )
  const after = new Map(rows.map(({ id, row }: AuditedRow) => [id, row]))
  const changes = before.map(({ id, row }) => ({ id, before: row, after: after.get(id) }))
  await auditEach(trx, context, action, former, changes)
  return { data: { changed: before.length } }
}

const NAMES_SHOWN_MAX = 3

/** “Desk 1, Desk 2 and 38 more”. */
export const listRows = (rows: AuditedRow[]): Value =>
  listNames(
    rows.map(({ row }) => String(row.name)),
    NAMES_SHOWN_MAX,
  )
