// Imports desks, rooms and parking from a file: makes a plan, which an administrator reviews, and applies it.
import { MANY_MAX } from '../../../shared/bookables/bookables.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { findBookables, lockClaims, refuseOthers } from '../claims/locks.ts'
import { createImportPlan, findNamedIds, type PlannedRow } from '../imports/bookables/import-plan.ts'
import { auditedCounts, reviewedImport } from '../imports/reviewed-imports.ts'
import { stageImportFile } from '../imports/stage-import-file.ts'
import type { AuditedRow } from '../kit/rows.ts'
import { FIELDS, GIVEN_BOOKABLES, insertBookables, lockLocation } from './creations.ts'
import { updateBookables } from './updates.ts'

type ImportInput = InputOf<'bookables.plan-import'>

/** `before`: the bookables that the rows name; empty for a review. */
type Planned = { header: string[]; rows: PlannedRow[]; before: AuditedRow[]; counts: object; reason: string }

export const { plan: planBookableImport, apply: applyBookableImport } = reviewedImport({
  subject: 'bookable_id',
  async withPlan<Reply>(
    trx: Transaction,
    { location_id, file_id }: ImportInput,
    { isApplied }: { isApplied: boolean },
    context: WorkContext,
    act: (savepoint: Transaction, plan: Planned) => Promise<Reply>,
  ) {
    await refuseDeletedLocation(trx, location_id)
    const options = { list: 'bookables', rowsMax: MANY_MAX, keepsCells: true } as const
    const { header } = await stageImportFile(trx, file_id, options, context)
    const before = isApplied ? await lockNamed(trx, location_id) : []
    if (!isApplied) context.report({ phase: 'checked' })
    const rows = await createImportPlan(trx, location_id, context.now)
    return act(trx, { header, rows, before, counts: {}, reason: "CASE action WHEN 'skip' THEN 'same' END" })
  },
  async apply(trx, { rows, before }, { location_id }, context) {
    const changing = rows.flatMap(({ action, bookable_id: id, fields }) =>
      action === 'change' && id !== null ? [{ ...fields, id }] : [],
    )
    // A bookable that got one of these names after the lock is not locked.
    refuseOthers(
      changing,
      before.map(({ id }) => id),
    )
    context.report({ phase: 'applying' })
    const creating = rows.filter(({ action }) => action === 'create').map(({ fields }) => fields)
    await insertBookables(trx, location_id, creating, context)
    const changed = before.filter(({ id }) => changing.some((each) => each.id === id))
    const set = `(${FIELDS}) = ROW (${FIELDS.replace(/\w+/g, 'given.$&')})`
    const update = {
      set,
      given: `${GIVEN_BOOKABLES} AS given`,
      values: { bookables: JSON.stringify(changing) },
    }
    await updateBookables(trx, changed, update, context)
  },
  audited: ({ location_id, filename }, counts) => ({
    action: 'bookables.import',
    after: { location_id, filename, ...auditedCounts(counts) },
  }),
})

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
  return findBookables(trx, ids, 'FOR NO KEY UPDATE')
}
