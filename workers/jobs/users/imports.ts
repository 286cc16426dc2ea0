// Imports users from a file: at once, or by a plan that an administrator reviews before it is applied.
import { audit } from '../../../shared/audit/audit.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { ImportCounts } from '../../../shared/users/users.ts'
import { type JsonText, parseJsonText } from '../../../shared/utilities/json-text.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { applyPlannedRows } from '../imports/apply.ts'
import {
  type Deactivation,
  deactivateLeftOut,
  planCarefulDeactivation,
  planDeactivation,
} from '../imports/deactivation.ts'
import { createImportPlan } from '../imports/import-plan.ts'
import { lockImports } from '../imports/lock.ts'
import { finishImportResult } from '../imports/result.ts'
import { auditedCounts, reviewedImport } from '../imports/reviewed-imports.ts'
import type { Staged } from '../imports/stage-import-file.ts'
import { stageUsers } from '../imports/staging.ts'
import { countImportPlan, digestImportPlan, storePlannedRows } from '../imports/stored-plans.ts'

type ImportInput = InputOf<'users.plan-import'>
/** The plan exists, for the rows and for users that no row mentions. */
type Planned = Staged & { update: boolean; deactivation: Deactivation }

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
    const after = {
      created: created.length,
      updated: updated.length,
      skipped: skipped.length,
      errors: errors.length,
      filename,
      deleted: leftOut,
    }
    await apply(savepoint, plan, context)
    await audit(savepoint, context, importOf(after))
    return result
  })
}

const reviewedUsers = reviewedImport<ImportInput, Planned, ImportCounts>({
  withPlan: (trx, input, _options, context, act) => planned(trx, input, { isSeen: true }, context, act),
  count: (trx, { deactivation }) => countImportPlan(trx, deactivation),
  digest: (trx, { deactivation }) => digestImportPlan(trx, deactivation),
  storeRows: storePlannedRows,
  apply: (trx, plan, _input, context) => apply(trx, plan, context),
  audited: ({ filename }, counts) =>
    importOf({ ...auditedCounts(counts), filename, deleted: counts.deactivate }),
})

export const planImport = reviewedUsers.plan
export const applyImportPlan = reviewedUsers.apply

const importOf = (after: object) => ({ action: 'users.import', resource: 'users', after }) as const

/** Reads the file, and makes the plan for each row; with its cells if an administrator will see the plan. */
async function planned<Reply>(
  trx: Transaction,
  input: ImportInput,
  { isSeen }: { isSeen: boolean },
  context: WorkContext,
  act: (savepoint: Transaction, plan: Planned) => Promise<Reply>,
): Promise<Reply> {
  const staged = await stageUsers(trx, input, { keepsCells: isSeen }, context)
  // The lock comes after reading: a file is read, or refused, without waiting for the import before it.
  await lockImports(trx)
  // Nothing is refused from here on, so the gateway may begin its response.
  context.report({ phase: 'checked' })
  return repeatRaces(trx, async (savepoint) => {
    await createImportPlan(savepoint, { ...input, columns: staged.columns, isSeen })
    const deactivation = isSeen
      ? await planCarefulDeactivation(savepoint, input.deactivate, staged.header)
      : await planDeactivation(savepoint, input.deactivate)
    return act(savepoint, { ...staged, update: input.update, deactivation })
  })
}

async function apply(trx: Transaction, { columns, deactivation }: Planned, context: WorkContext) {
  context.report({ phase: 'applying' })
  await deactivateLeftOut(trx, deactivation, context)
  await applyPlannedRows(trx, columns, context)
}

// Another request may create one of the users between plan and write: the next plan finds them.
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
