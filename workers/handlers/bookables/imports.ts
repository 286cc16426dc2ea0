// Desks, rooms and parking from a file: planned, looked at by an administrator, and applied as they were seen.
import { audit } from '../../../shared/audit.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/refusal.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { exportRefusedRows } from '../../exports/refused-rows.ts'
import { forgetFile } from '../../files.ts'
import { changePlanned, createPlanned } from '../../imports/bookables/apply.ts'
import { findNamedIds, makeImportPlan } from '../../imports/bookables/import-plan.ts'
import type { PlannedRow } from '../../imports/bookables/planned-rows.ts'
import { BOOKABLES } from '../../imports/bookables/staging.ts'
import { countImportPlan, digestImportPlan, storeImportPlan } from '../../imports/bookables/stored-plans.ts'
import { refuseDeletedFile, stageImportFile } from '../../imports/stage-import-file.ts'
import { findStoredDigest } from '../../imports/stored-plans.ts'
import { BOOKABLE_LIST } from '../../sheets/lists/bookable-rows.ts'
import { type AuditedRow, auditedRow } from '../rows.ts'
import { lockLocation } from './creations.ts'
import { lockClaims } from './locks.ts'
import { refuseOthers } from './many.ts'

type ImportInput = InputOf<'bookables.plan-import'>

/** Changes nothing: an administrator looks at the plan first. */
export async function planBookableImport(
  trx: Transaction,
  input: ImportInput,
  context: WorkContext,
): Promise<ReplyOf<'bookables.plan-import'>> {
  const header = await stage(trx, input, context)
  context.report({ phase: 'checked' })
  const rows = await makeImportPlan(trx, input.location_id, context.now)
  await storeImportPlan(trx, { id: context.attempt, header, rows })
  return { counts: countImportPlan(rows) }
}

/** Does what its administrator has seen, and nothing else: a plan that nobody has seen yet is kept to be looked at. */
export async function applyBookableImport(
  trx: Transaction,
  input: InputOf<'bookables.apply-import-plan'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.apply-import-plan'>> {
  const header = await stage(trx, input, context)
  const before = await lockNamed(trx, input.location_id)
  const rows = await makeImportPlan(trx, input.location_id, context.now)
  const counts = countImportPlan(rows)
  if (digestImportPlan(rows) !== (await findStoredDigest(trx, input.plan_id))) {
    await storeImportPlan(trx, { id: context.attempt, header, rows })
    return { applied: false, counts }
  }
  const changing = rows.filter(({ section }) => section === 'change')
  // Who has got such a name since they were locked is not locked.
  refuseOthers(
    namedBy(changing),
    before.map(({ id }) => id),
  )
  context.report({ phase: 'applying' })
  await createPlanned(
    trx,
    input.location_id,
    rows.filter(({ section }) => section === 'create'),
    context,
  )
  await changePlanned(trx, changing, before, context)
  const { location_id, filename } = input
  const after = {
    location_id,
    filename,
    created: counts.create,
    updated: counts.change,
    skipped: counts.skip,
    errors: counts.error,
  }
  await audit(trx, context, { action: 'bookables.import', resource: 'bookables', after })
  await forgetFile(trx, input.file_id)
  return { applied: true, counts }
}

export const exportRefusedBookables = (
  trx: Transaction,
  input: InputOf<'bookables.export-refused'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.export-refused'>> => exportRefusedRows(trx, input, BOOKABLE_LIST, context)

/** Returns the headings of the file. */
async function stage(trx: Transaction, input: ImportInput, context: WorkContext): Promise<string[]> {
  await refuseDeletedFile(input.file_id, context)
  await refuseDeletedLocation(trx, input.location_id)
  const { header } = await stageImportFile(trx, input.file_id, BOOKABLES, { keepsCells: true }, context)
  return header
}

async function refuseDeletedLocation(trx: Transaction, id: number): Promise<void> {
  const { rows } = await trx.raw('SELECT FROM locations WHERE id = ?', [id])
  if (rows.length === 0)
    throw invalid({ location_id: [message`The location of this import has been deleted.`] })
}

/** What the rows may change, with its claims; and the location, so that two cannot add the same name. */
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
