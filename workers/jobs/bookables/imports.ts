// Imports desks, rooms and parking from a file: makes a plan, which an administrator reviews, and applies it.
import type { BookableImportCounts } from '../../../shared/bookables/bookable-imports.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { Transaction } from '../../runtime/context.ts'
import { BOOKABLE_LIST } from '../../sheets/lists/bookable-rows.ts'
import { lockClaims } from '../claims/locks.ts'
import { exportRefusedRows } from '../exports/refused-rows.ts'
import { changePlanned, createPlanned } from '../imports/bookables/apply.ts'
import { findNamedIds, makeImportPlan } from '../imports/bookables/import-plan.ts'
import type { PlannedRow } from '../imports/bookables/planned-rows.ts'
import { BOOKABLES } from '../imports/bookables/staging.ts'
import { countImportPlan, digestImportPlan, storePlannedRows } from '../imports/bookables/stored-plans.ts'
import { auditedCounts, reviewedImport } from '../imports/reviewed-imports.ts'
import { stageImportFile } from '../imports/stage-import-file.ts'
import { type AuditedRow, auditedRow } from '../kit/rows.ts'
import { lockLocation } from './creations.ts'
import { refuseOthers } from './many.ts'

type ImportInput = InputOf<'bookables.plan-import'>

/** `before`: the bookables that the rows name; empty for a review. */
type Planned = { header: string[]; rows: PlannedRow[]; before: AuditedRow[] }

const reviewedBookables = reviewedImport<ImportInput, Planned, BookableImportCounts>({
  async withPlan(trx, { location_id, file_id }, { isApplied }, context, act) {
    await refuseDeletedLocation(trx, location_id)
    const { header } = await stageImportFile(trx, file_id, BOOKABLES, { keepsCells: true }, context)
    const before = isApplied ? await lockNamed(trx, location_id) : []
    if (!isApplied) context.report({ phase: 'checked' })
    return act(trx, { header, rows: await makeImportPlan(trx, location_id, context.now), before })
  },
  count: async (_trx, { rows }) => countImportPlan(rows),
  digest: async (_trx, { rows }) => digestImportPlan(rows),
  storeRows: (trx, id, { rows }) => storePlannedRows(trx, id, rows),
  async apply(trx, { rows, before }, { location_id }, context) {
    const changing = rows.filter(({ section }) => section === 'change')
    // A bookable that got one of these names after the lock is not locked.
    refuseOthers(
      namedBy(changing),
      before.map(({ id }) => id),
    )
    context.report({ phase: 'applying' })
    const creating = rows.filter(({ section }) => section === 'create')
    await createPlanned(trx, location_id, creating, context)
    await changePlanned(trx, changing, before, context)
  },
  audited: ({ location_id, filename }, counts) => ({
    action: 'bookables.import',
    resource: 'bookables',
    after: { location_id, filename, ...auditedCounts(counts) },
  }),
})

export const planBookableImport = reviewedBookables.plan
export const applyBookableImport = reviewedBookables.apply

export const exportRefusedBookables = exportRefusedRows(BOOKABLE_LIST)

async function refuseDeletedLocation(trx: Transaction, id: number): Promise<void> {
  const { rows } = await trx.raw('SELECT FROM locations WHERE id = ?', [id])
  if (rows.length === 0)
    throw invalid({ location_id: [message`The location of this import has been deleted.`] })
}

/**
 * Locks what the rows may change, with its claims, and the location: two imports cannot add the same name.
 */
async function lockNamed(trx: Transaction, locationId: number): Promise<AuditedRow[]> {
  const ids = await findNamedIds(trx, locationId)
  await lockClaims(trx, ids)
  await lockLocation(trx, locationId)
  const { rows } = await trx.raw(
    `SELECT ${auditedRow('bookables')} FROM bookables
     WHERE id = ANY(?::bigint[]) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  )
  return rows
}

const namedBy = (rows: PlannedRow[]): AuditedRow[] =>
  rows.flatMap(({ bookable_id, fields }) => (bookable_id === null ? [] : [{ id: bookable_id, row: fields }]))
