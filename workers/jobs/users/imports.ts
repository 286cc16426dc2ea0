// Imports users from a file: at once, or by a plan that an administrator reviews before it is applied.
import { lockImports } from '../../../shared/imports/import-lock.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { type Handler, openWrite, type Write } from '../../runtime/write.ts'
import {
  applyPlannedRows,
  type Deactivation,
  deactivateLeftOut,
  leftOutUsers,
  planDeactivation,
} from '../imports/apply.ts'
import { askForColumns, rememberLayout } from '../imports/columns.ts'
import { createImportPlan, reasonSql, stageUsers } from '../imports/import-plan.ts'
import { finishImportResult } from '../imports/result.ts'
import { auditedCounts, countRows, type RowCounts, reviewedImport } from '../imports/reviewed-imports.ts'
import type { Staged } from '../imports/stage-import-file.ts'

type ImportInput = InputOf<'users.plan-import'>
/** The plan exists, for the rows and for users that no row mentions. */
type Planned = { columns: string[]; header: string[]; deactivation: Deactivation }

const RACES_MAX = 3
const UNIQUE_VIOLATION = '23505'

export const importUsers: Handler<'users.import'> = async (write, input) => {
  const staged = await stageUsers(write, input, { keepsCells: false })
  return planned(write, input, { ...staged, isSeen: false }, async (savepoint, plan) => {
    const { filename, dry_run: dryRun } = input
    const { leftOut: deleted } = plan.deactivation
    const result = await finishImportResult(savepoint, { dryRun, deleted, filename })
    if (dryRun) return result
    const counts = await countRows(savepoint)
    await apply(savepoint, plan)
    await savepoint.audit(importOf(counts, filename, deleted))
    return result
  })
}

const reviewedUsers = reviewedImport<ImportInput, ReturnType<typeof reviewed>>({
  subject: 'user_id',
  async withPlan(write, input, { isApplied }, act) {
    const layout = input.layout ?? (isApplied ? undefined : 'ask')
    const staged = await stageUsers(write, input, { keepsCells: true, layout })
    if (staged.preview) return askForColumns(write, staged.preview)
    return planned(write, input, { ...staged, isSeen: true }, (savepoint, plan) =>
      act(savepoint, reviewed(input, plan)),
    )
  },
  apply,
  audited: ({ filename }, counts) => importOf(counts, filename, counts.deactivate),
})

export const applyImportPlan = reviewedUsers.apply

export const planImport: Handler<'users.plan-import'> = async (write, input) => {
  if (input.layout) await rememberLayout(write, input.layout)
  return reviewedUsers.plan(write, input)
}

const importOf = (counts: RowCounts, filename: string, deleted: number) =>
  ({ action: 'users.import', after: { ...auditedCounts(counts), filename, deleted } }) as const

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

/** Makes the plan for each row of the file. */
async function planned<Reply>(
  write: Write,
  input: ImportInput,
  { columns, header, isSeen }: Staged & { isSeen: boolean },
  act: (savepoint: Write, plan: Planned) => Promise<Reply>,
): Promise<Reply> {
  // The lock comes after reading: a file is read, or refused, without waiting for the import before it.
  await lockImports(write.trx)
  // Nothing is refused from here on, so the gateway may begin its response.
  write.report({ phase: 'checked' })
  return repeatRaces(write, async (savepoint) => {
    await createImportPlan(savepoint, { ...input, columns, isSeen })
    const deactivation = await planDeactivation(savepoint, input.deactivate, isSeen ? header : undefined)
    return act(savepoint, { columns, header, deactivation })
  })
}

async function apply(write: Write, { columns, deactivation }: Planned) {
  write.report({ phase: 'applying' })
  await deactivateLeftOut(write, deactivation)
  await applyPlannedRows(write, columns)
}

// Another request may create one of the users between plan and write: the next plan finds them.
async function repeatRaces<Result>(write: Write, work: (savepoint: Write) => Promise<Result>) {
  for (let race = 1; ; race++) {
    try {
      return await write.trx.transaction((savepoint) => work(openWrite(savepoint, write)))
    } catch (error) {
      if (race === RACES_MAX || (error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error
    }
  }
}
