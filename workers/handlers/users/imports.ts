// Users from a file: imported at once, or planned, looked at by an administrator, and applied as they were seen.
import { audit } from '../../../shared/audit.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { invalid } from '../../../shared/refusal.ts'
import { type JsonText, parseJsonText } from '../../../shared/shapes/json-text.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { forgetFile, isStored } from '../../files.ts'
import { applyPlannedRows, countLeftOut, deactivateLeftOut } from '../../imports/apply.ts'
import { createImportPlan } from '../../imports/import-plan.ts'
import { lockImports } from '../../imports/lock.ts'
import { finishImportResult } from '../../imports/result.ts'
import { refuseEmptyFile, type Staged, stageImportFile } from '../../imports/stage-import-file.ts'
import {
  countImportPlan,
  digestImportPlan,
  findStoredDigest,
  storeImportPlan,
} from '../../imports/stored-plans.ts'

type ImportInput = InputOf<'users.plan-import'>
/** The plan is made, and `leftOut` users are in no row of it. */
type Planned = Staged & { leftOut: number }

const RACES_MAX = 3
const UNIQUE_VIOLATION = '23505'

export async function importUsers(
  trx: Transaction,
  input: InputOf<'users.import'>,
  context: WorkContext,
): Promise<JsonText<ReplyOf<'users.import'>>> {
  return planned(trx, input, { isSeen: false }, context, async (savepoint, { columns, leftOut }) => {
    const { filename, dry_run: dryRun } = input
    const result = await finishImportResult(savepoint, { dryRun, deleted: leftOut, filename })
    if (dryRun) return result
    const { created, updated, skipped, errors } = parseJsonText(result)
    await apply(savepoint, input, columns, context, {
      created: created.length,
      updated: updated.length,
      skipped: skipped.length,
      errors: errors.length,
      filename,
      deleted: leftOut,
    })
    return result
  })
}

/** Changes nothing: an administrator looks at the plan first. */
export async function planImport(
  trx: Transaction,
  input: ImportInput,
  context: WorkContext,
): Promise<ReplyOf<'users.plan-import'>> {
  await refuseDeletedFile(input, context)
  return planned(trx, input, { isSeen: true }, context, async (savepoint, { header, leftOut }) => {
    const { digest, counts } = await describePlan(savepoint, input, leftOut)
    await storeImportPlan(savepoint, { id: context.attempt, digest, header, counts, update: input.update })
    return { counts }
  })
}

/** Does what its administrator has seen, and nothing else: a plan that nobody has seen yet is kept to be looked at. */
export async function applyImportPlan(
  trx: Transaction,
  input: InputOf<'users.apply-import-plan'>,
  context: WorkContext,
): Promise<ReplyOf<'users.apply-import-plan'>> {
  await refuseDeletedFile(input, context)
  return planned(trx, input, { isSeen: true }, context, async (savepoint, { columns, header, leftOut }) => {
    const { digest, counts } = await describePlan(savepoint, input, leftOut)
    if (digest !== (await findStoredDigest(savepoint, input.plan_id))) {
      await storeImportPlan(savepoint, { id: context.attempt, digest, header, counts, update: input.update })
      return { applied: false, counts }
    }
    await apply(savepoint, input, columns, context, {
      created: counts.create,
      updated: counts.change,
      skipped: counts.skip,
      errors: counts.error,
      filename: input.filename,
      deleted: leftOut,
    })
    await forgetFile(savepoint, input.file_id)
    return { applied: true, counts }
  })
}

/** Reads the file, and makes the plan of what becomes of each row; where somebody sees it, with the cells of the rows. */
async function planned<Reply>(
  trx: Transaction,
  input: ImportInput,
  { isSeen }: { isSeen: boolean },
  context: WorkContext,
  act: (savepoint: Transaction, plan: Planned) => Promise<Reply>,
): Promise<Reply> {
  const staged = await stageImportFile(trx, input.file_id, { keepsCells: isSeen }, context)
  if (input.deactivate) await refuseEmptyFile(trx)
  // Only now: a file is read, and refused, without waiting for the import before it.
  await lockImports(trx)
  // From here on nothing is refused: the gateway may begin its answer.
  context.report({ phase: 'checked' })
  return repeatRaces(trx, async (savepoint) => {
    await createImportPlan(savepoint, { ...input, columns: staged.columns, isSeen })
    const leftOut = input.deactivate ? await countLeftOut(savepoint) : 0
    return act(savepoint, { ...staged, leftOut })
  })
}

async function describePlan(trx: Transaction, { deactivate }: ImportInput, leftOut: number) {
  const digest = await digestImportPlan(trx, deactivate)
  return { digest, counts: await countImportPlan(trx, leftOut) }
}

type Applied = Record<'created' | 'updated' | 'skipped' | 'errors' | 'deleted', number> & { filename: string }

async function apply(
  trx: Transaction,
  { deactivate }: ImportInput,
  columns: string[],
  context: WorkContext,
  after: Applied,
) {
  context.report({ phase: 'applying' })
  if (deactivate) await deactivateLeftOut(trx, context)
  await applyPlannedRows(trx, columns, context)
  await audit(trx, context, { action: 'users.import', resource: 'users', after })
}

// Who is created elsewhere between the look and the write is found by the next look.
async function repeatRaces<Result>(
  trx: Transaction,
  work: (savepoint: Transaction) => Promise<Result>,
): Promise<Result> {
  for (let race = 1; ; race++) {
    try {
      return await trx.transaction(work)
    } catch (error) {
      if (race === RACES_MAX || (error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error
    }
  }
}

async function refuseDeletedFile({ file_id }: ImportInput, { database }: WorkContext): Promise<void> {
  if (await isStored(database, file_id)) return
  throw invalid({
    file: ['The file is no longer stored: it has been applied, or it is older than 24 hours.'],
  })
}
