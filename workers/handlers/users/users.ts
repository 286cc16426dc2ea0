// Users: lists in and out.
import { audit } from '../../../shared/audit.ts'
import type { InputOf } from '../../../shared/jobs.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { refusedSource } from '../../exports/refused-rows.ts'
import { type ExportSource, exportSource } from '../../exports/users.ts'
import { forgetFile, writeFile } from '../../files.ts'
import { applyPlan, countLeftOut, deactivateLeftOut } from '../../imports/apply.ts'
import { countPlan, digestPlan, findDigest, keepPlan } from '../../imports/kept-plan.ts'
import { lockImports } from '../../imports/lock.ts'
import { makePlan } from '../../imports/plan.ts'
import { resultText } from '../../imports/result.ts'
import { refuseEmpty, type Staged, stage } from '../../imports/stage.ts'

type ImportInput = InputOf<'users.import'>

const KEPT_HOURS = 24
const RACES_MAX = 3
const UNIQUE_VIOLATION = '23505'

export async function importUsers(
  trx: Transaction,
  input: ImportInput,
  context: WorkContext,
): Promise<string> {
  const staged = await stage(trx, input, context)
  if (input.deactivate) await refuseEmpty(trx)
  // Only now: a file is read, and refused, without waiting for the import before it.
  await lockImports(trx)
  // From here on nothing is refused: the gateway may begin its answer.
  context.report({ percent: 60, step: 'comparing' })
  return repeatRaces(trx, (savepoint) => compareAndApply(savepoint, { ...input, ...staged }, context))
}

async function compareAndApply(
  trx: Transaction,
  input: ImportInput & Staged,
  context: WorkContext,
): Promise<string> {
  await makePlan(trx, input)
  const deleted = input.deactivate ? await countLeftOut(trx) : 0
  if (input.details) return applyExpected(trx, input, deleted, context)
  const facts = { dryRun: input.dry_run, deleted, filename: input.filename }
  const result = await resultText(trx, facts)
  if (input.dry_run) return result
  const after = { ...summarize(JSON.parse(result)), filename: input.filename, deleted }
  await apply(trx, input, after, context)
  return result
}

/** Does what its administrator has seen, and nothing else: a plan that nobody has seen yet is kept to be looked at. */
async function applyExpected(
  trx: Transaction,
  input: ImportInput & Staged,
  deleted: number,
  context: WorkContext,
): Promise<string> {
  const digest = await digestPlan(trx, input.deactivate)
  const counts = await countPlan(trx, deleted)
  const isApplied = !input.dry_run && digest === (await findDigest(trx, input.plan_id))
  if (isApplied) {
    const { create: created, change: updated, skip: skipped, error: errors } = counts
    const { filename } = input
    await apply(trx, input, { created, updated, skipped, errors, filename, deleted }, context)
    await forgetFile(trx, input.file_id)
  } else {
    await keepPlan(trx, {
      id: context.attempt,
      digest,
      header: input.header,
      counts,
      update: input.update,
    })
  }
  return JSON.stringify({ applied: isApplied, counts })
}

async function apply(trx: Transaction, input: ImportInput & Staged, after: object, context: WorkContext) {
  context.report({ percent: 80, step: 'applying' })
  if (input.deactivate) await deactivateLeftOut(trx)
  await applyPlan(trx, input.columns)
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

export async function exportUsers(
  trx: Transaction,
  { format }: InputOf<'users.export'>,
  context: WorkContext,
): Promise<string> {
  const name = `users-${context.now.slice(0, 10)}.${format}`
  return write(await exportSource(trx, format), name, context)
}

export async function exportRefused(
  trx: Transaction,
  { plan_id, format }: InputOf<'users.export-refused'>,
  context: WorkContext,
): Promise<string> {
  const exported = await refusedSource(trx, plan_id, format)
  if (!exported) throw new Refusal('not_found', 'The rows of this import are not kept any more.')
  return write(exported, `refused-rows-${context.now.slice(0, 10)}.${format}`, context)
}

async function write(
  { source, contentType }: ExportSource,
  name: string,
  context: WorkContext,
): Promise<string> {
  const file = { name, contentType, attempt: context.attempt, keptHours: KEPT_HOURS }
  const fileId = await writeFile(context.database, file, source, (id) => {
    context.report({ percent: 10, step: 'writing', file: id })
  })
  return JSON.stringify({ file: fileId })
}

type Result = Record<'created' | 'updated' | 'skipped' | 'errors', number[]>

function summarize({ created, updated, skipped, errors }: Result) {
  return { created: created.length, updated: updated.length, skipped: skipped.length, errors: errors.length }
}
