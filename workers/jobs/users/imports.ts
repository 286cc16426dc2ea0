// Imports users from a file: at once, or by a plan that an administrator reviews before it is applied.
import { audit } from '../../../shared/audit/audit.ts'
import { lockImports } from '../../../shared/imports/import-lock.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { Handler, Transaction, WorkContext } from '../../runtime/context.ts'
import { applyPlannedRows } from '../imports/apply.ts'
import {
  type Deactivation,
  deactivateLeftOut,
  leftOutUsers,
  planDeactivation,
} from '../imports/deactivation.ts'
import { createImportPlan, reasonSql, stageUsers } from '../imports/import-plan.ts'
import { finishImportResult } from '../imports/result.ts'
import { auditedCounts, countRows, type RowCounts, reviewedImport } from '../imports/reviewed-imports.ts'

type ImportInput = InputOf<'users.plan-import'>
/** The plan exists, for the rows and for users that no row mentions. */
type Planned = { columns: string[]; header: string[]; deactivation: Deactivation }

const RACES_MAX = 3
const UNIQUE_VIOLATION = '23505'

export const importUsers: Handler<'users.import'> = (trx, input, context) =>
  planned(trx, input, { isSeen: false }, context, async (savepoint, plan) => {
    const { filename, dry_run: dryRun } = input
    const { leftOut: deleted } = plan.deactivation
    const result = await finishImportResult(savepoint, { dryRun, deleted, filename })
    if (dryRun) return result
    const counts = await countRows(savepoint)
    await apply(savepoint, plan, context)
    await audit(savepoint, context, importOf(counts, filename, deleted))
    return result
  })

export const { plan: planImport, apply: applyImportPlan } = reviewedImport({
  subject: 'user_id',
  withPlan<Reply>(
    trx: Transaction,
    input: ImportInput,
    _options: unknown,
    context: WorkContext,
    act: (savepoint: Transaction, plan: ReturnType<typeof reviewed>) => Promise<Reply>,
  ) {
    return planned(trx, input, { isSeen: true }, context, (savepoint, plan) =>
      act(savepoint, reviewed(input, plan)),
    )
  },
  apply: (trx, plan, _input, context) => apply(trx, plan, context),
  audited: ({ filename }, counts) => importOf(counts, filename, counts.deactivate),
})

const importOf = (counts: RowCounts, filename: string, deleted: number) =>
  ({
    action: 'users.import',
    after: { ...auditedCounts(counts), filename, deleted },
  }) as const

function reviewed({ update }: ImportInput, plan: Planned) {
  const { deactivation } = plan
  const { leftOut, kept, unmatched } = deactivation
  return {
    ...plan,
    counts: { deactivate: leftOut, kept, unmatched },
    reason: reasonSql(update, kept + unmatched > 0),
    selectLeftOut: (columns: string) => leftOutUsers(columns, deactivation),
  }
}

/** Reads the file, and makes the plan for each row; with its cells if an administrator will see the plan. */
async function planned<Reply>(
  trx: Transaction,
  input: ImportInput,
  { isSeen }: { isSeen: boolean },
  context: WorkContext,
  act: (savepoint: Transaction, plan: Planned) => Promise<Reply>,
): Promise<Reply> {
  const { columns, header } = await stageUsers(trx, input, { keepsCells: isSeen }, context)
  // The lock comes after reading: a file is read, or refused, without waiting for the import before it.
  await lockImports(trx)
  // Nothing is refused from here on, so the gateway may begin its response.
  context.report({ phase: 'checked' })
  return repeatRaces(trx, async (savepoint) => {
    await createImportPlan(savepoint, { ...input, columns, isSeen })
    const deactivation = await planDeactivation(savepoint, input.deactivate, isSeen ? header : undefined)
    return act(savepoint, { columns, header, deactivation })
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
