// Imports users from a file, either immediately or with a plan that an administrator reviews first.
import { lockImports } from '../../../shared/imports/import-lock.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { type Handler, openWrite, type Write } from '../../runtime/write.ts'
import {
  applyPlannedRows,
  deactivateUsersLeftOut,
  type PlannedDeactivation,
  planDeactivation,
  selectUsersLeftOut,
} from '../imports/apply.ts'
import { askForColumns, rememberLayout } from '../imports/columns.ts'
import { createImportPlan, reasonSql, stageUsers } from '../imports/import-plan.ts'
import { finishImportResult } from '../imports/result.ts'
import {
  countRows,
  createReviewedImport,
  type RowCounts,
  toAuditedCounts,
} from '../imports/reviewed-imports.ts'
import type { StagedFile } from '../imports/stage-import-file.ts'

type ImportInput = InputOf<'users.plan-import'>
/** The parts of a plan besides its rows, which are in the database. */
type PlannedImport = { columns: string[]; header: string[]; deactivation: PlannedDeactivation }

const RACE_TRIES_MAX = 3
const UNIQUE_VIOLATION = '23505'

export const importUsers: Handler<'users.import'> = async (write, input) => {
  const staged = await stageUsers(write, input, { keepsCells: false })
  return runPlannedImport(write, input, { ...staged, isSeen: false }, async (savepoint, plan) => {
    const { filename, dry_run: dryRun } = input
    const { leftOut: deleted } = plan.deactivation
    const result = await finishImportResult(savepoint, { dryRun, deleted, filename })
    if (dryRun) return result
    const counts = await countRows(savepoint)
    await applyPlan(savepoint, plan)
    await savepoint.audit(createImportAudit(counts, filename, deleted))
    return result
  })
}

const reviewedUsers = createReviewedImport<ImportInput, ReturnType<typeof toReviewedPlan>>({
  subject: 'user_id',
  async withPlan(write, input, { isApplied }, act) {
    const layout = input.layout ?? (isApplied ? undefined : 'ask')
    const staged = await stageUsers(write, input, { keepsCells: true, layout })
    if (staged.preview) return askForColumns(write, staged.preview)
    return runPlannedImport(write, input, { ...staged, isSeen: true }, (savepoint, plan) =>
      act(savepoint, toReviewedPlan(input, plan)),
    )
  },
  apply: applyPlan,
  audited: ({ filename }, counts) => createImportAudit(counts, filename, counts.deactivate),
})

export const applyImportPlan = reviewedUsers.apply

export const planImport: Handler<'users.plan-import'> = async (write, input) => {
  if (input.layout) await rememberLayout(write, input.layout)
  return reviewedUsers.plan(write, input)
}

const createImportAudit = (counts: RowCounts, filename: string, deleted: number) =>
  ({ action: 'users.import', after: { ...toAuditedCounts(counts), filename, deleted } }) as const

function toReviewedPlan({ update }: ImportInput, plan: PlannedImport) {
  const { deactivation } = plan
  const { leftOut, kept, unmatched } = deactivation
  return {
    ...plan,
    counts: { deactivate: leftOut, kept, unmatched },
    reason: reasonSql(update, kept + unmatched > 0),
    selectLeftOut: (columns: string) => selectUsersLeftOut(columns, deactivation),
  }
}

/** Plans what to do with each row of the file, and passes the plan to `act`. */
async function runPlannedImport<Reply>(
  write: Write,
  input: ImportInput,
  { columns, header, isSeen }: StagedFile & { isSeen: boolean },
  act: (savepoint: Write, plan: PlannedImport) => Promise<Reply>,
): Promise<Reply> {
  // The import is locked only after reading, so that a file can be read or refused while the previous import is still
  // running.
  await lockImports(write.trx)
  // From here on the import cannot be refused, so the gateway may start its response.
  write.report({ phase: 'checked' })
  return retryRaces(write, async (savepoint) => {
    await createImportPlan(savepoint, { ...input, columns, isSeen })
    const deactivation = await planDeactivation(savepoint, input.deactivate, isSeen ? header : undefined)
    return act(savepoint, { columns, header, deactivation })
  })
}

async function applyPlan(write: Write, { columns, deactivation }: PlannedImport) {
  write.report({ phase: 'applying' })
  await deactivateUsersLeftOut(write, deactivation)
  await applyPlannedRows(write, columns)
}

// Repeats the work if another request creates one of the users between planning and writing. The next plan finds that
// user.
async function retryRaces<Result>(write: Write, work: (savepoint: Write) => Promise<Result>) {
  for (let race = 1; ; race++) {
    try {
      return await write.trx.transaction((savepoint) => work(openWrite(savepoint, write)))
    } catch (error) {
      if (race === RACE_TRIES_MAX || (error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error
    }
  }
}
