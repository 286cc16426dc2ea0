// Users from a file: imported at once, or planned, looked at by an administrator, and applied as they were seen.
import { audit } from '../../../shared/audit.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { type JsonText, parseJsonText } from '../../../shared/shapes/json-text.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { forgetFile } from '../../files.ts'
import { applyPlannedRows } from '../../imports/apply.ts'
import {
  type Deactivation,
  deactivateLeftOut,
  planCarefulDeactivation,
  planDeactivation,
} from '../../imports/deactivation.ts'
import { createImportPlan } from '../../imports/import-plan.ts'
import { lockImports } from '../../imports/lock.ts'
import { finishImportResult } from '../../imports/result.ts'
import {
  refuseDeletedFile,
  refuseEmptyFile,
  type Staged,
  stageImportFile,
} from '../../imports/stage-import-file.ts'
import { analyzeStaging, createStaging, STAGING } from '../../imports/staging.ts'
import {
  countImportPlan,
  digestImportPlan,
  findStoredDigest,
  type StoredPlan,
  storeImportPlan,
} from '../../imports/stored-plans.ts'

type ImportInput = InputOf<'users.plan-import'>
/** The plan is made, of the rows and of those who are in none. */
type Planned = Staged & { deactivation: Deactivation }

const USERS = { name: STAGING, list: 'users', rowsMax: 200_000, create: createStaging } as const
const RACES_MAX = 3
const UNIQUE_VIOLATION = '23505'

export async function importUsers(
  trx: Transaction,
  input: InputOf<'users.import'>,
  context: WorkContext,
): Promise<JsonText<ReplyOf<'users.import'>>> {
  return planned(trx, input, { isSeen: false }, context, async (savepoint, plan) => {
    const { filename, dry_run: dryRun } = input
    const { leftOut } = plan.deactivation
    const result = await finishImportResult(savepoint, { dryRun, deleted: leftOut, filename })
    if (dryRun) return result
    const { created, updated, skipped, errors } = parseJsonText(result)
    await apply(savepoint, plan, context, {
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
  await refuseDeletedFile(input.file_id, context)
  return planned(trx, input, { isSeen: true }, context, async (savepoint, plan) => {
    const described = await describePlan(savepoint, input, plan, context)
    await storeImportPlan(savepoint, described)
    return { counts: described.counts }
  })
}

/** Does what its administrator has seen, and nothing else: a plan that nobody has seen yet is kept to be looked at. */
export async function applyImportPlan(
  trx: Transaction,
  input: InputOf<'users.apply-import-plan'>,
  context: WorkContext,
): Promise<ReplyOf<'users.apply-import-plan'>> {
  await refuseDeletedFile(input.file_id, context)
  return planned(trx, input, { isSeen: true }, context, async (savepoint, plan) => {
    const described = await describePlan(savepoint, input, plan, context)
    const { counts } = described
    if (described.digest !== (await findStoredDigest(savepoint, input.plan_id))) {
      await storeImportPlan(savepoint, described)
      return { applied: false, counts }
    }
    await apply(savepoint, plan, context, {
      created: counts.create,
      updated: counts.change,
      skipped: counts.skip,
      errors: counts.error,
      filename: input.filename,
      deleted: counts.deactivate,
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
  const staged = await stageImportFile(trx, input.file_id, USERS, { keepsCells: isSeen }, context)
  await analyzeStaging(trx)
  if (input.deactivate) await refuseEmptyFile(trx)
  // Only now: a file is read, and refused, without waiting for the import before it.
  await lockImports(trx)
  // From here on nothing is refused: the gateway may begin its answer.
  context.report({ phase: 'checked' })
  return repeatRaces(trx, async (savepoint) => {
    await createImportPlan(savepoint, { ...input, columns: staged.columns, isSeen })
    const deactivation = isSeen
      ? await planCarefulDeactivation(savepoint, input.deactivate, staged.header)
      : await planDeactivation(savepoint, input.deactivate)
    return act(savepoint, { ...staged, deactivation })
  })
}

async function describePlan(
  trx: Transaction,
  { update }: ImportInput,
  { header, deactivation }: Planned,
  { attempt: id }: WorkContext,
): Promise<StoredPlan> {
  const digest = await digestImportPlan(trx, deactivation)
  return { id, digest, header, counts: await countImportPlan(trx, deactivation), update, deactivation }
}

type Applied = Record<'created' | 'updated' | 'skipped' | 'errors' | 'deleted', number> & { filename: string }

async function apply(
  trx: Transaction,
  { columns, deactivation }: Planned,
  context: WorkContext,
  after: Applied,
) {
  context.report({ phase: 'applying' })
  await deactivateLeftOut(trx, deactivation, context)
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
