// Users: lists in and out.
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { audit } from '../../shared/audit.ts'
import type { InputOf } from '../../shared/jobs.ts'
import { invalid } from '../../shared/refusal.ts'
import { rawConnection } from '../connection.ts'
import type { Transaction, WorkContext } from '../context.ts'
import { exportSource } from '../exports/users.ts'
import { readFile, readHead, writeFile } from '../files.ts'
import { applyPlan, countLeftOut, deactivateLeftOut } from '../imports/apply.ts'
import { lockImports } from '../imports/lock.ts'
import { makePlan } from '../imports/plan.ts'
import { resultText } from '../imports/result.ts'
import { analyzeStaging, createStaging, STAGING } from '../imports/staging.ts'
import { readUserSheet } from '../sheets/read-users.ts'
import { isCompoundFile } from '../sheets/sheet.ts'

type ImportInput = InputOf<'users.import'>

const LIMITS = { rowsMax: 200_000, memoryMb: 160, timeMs: 300_000 }
// An xls is read as a whole, but has 65,536 rows at most.
const XLS_LIMITS = { ...LIMITS, memoryMb: 768 }
const KEPT_HOURS = 24
const RACES_MAX = 3
const UNIQUE_VIOLATION = '23505'

export async function importUsers(
  trx: Transaction,
  input: ImportInput,
  context: WorkContext,
): Promise<string> {
  const columns = await stage(trx, input, context)
  if (input.deactivate) await refuseEmpty(trx)
  // Only now: a file is read, and refused, without waiting for the import before it.
  await lockImports(trx)
  // From here on nothing is refused: the gateway may begin its answer.
  context.report({ percent: 60, step: 'comparing' })
  return repeatRaces(trx, (savepoint) => compareAndApply(savepoint, { ...input, columns }, context))
}

async function compareAndApply(
  trx: Transaction,
  input: ImportInput & { columns: string[] },
  context: WorkContext,
): Promise<string> {
  await makePlan(trx, input)
  const deleted = input.deactivate ? await countLeftOut(trx) : 0
  const facts = { dryRun: input.dry_run, deleted, filename: input.filename }
  const result = await resultText(trx, facts)
  if (input.dry_run) return result
  context.report({ percent: 80, step: 'applying' })
  if (input.deactivate) await deactivateLeftOut(trx)
  await applyPlan(trx, input.columns)
  const after = { ...summarize(JSON.parse(result)), filename: input.filename, deleted }
  await audit(trx, context, { action: 'users.import', resource: 'users', after })
  return result
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
  const { source, contentType } = await exportSource(trx, format)
  const name = `users-${context.now.slice(0, 10)}.${format}`
  const file = { name, contentType, attempt: context.attempt, keptHours: KEPT_HOURS }
  const fileId = await writeFile(context.database, file, source, (id) => {
    context.report({ percent: 10, step: 'writing', file: id })
  })
  return JSON.stringify({ file: fileId })
}

async function stage(trx: Transaction, input: ImportInput, context: WorkContext): Promise<string[]> {
  context.report({ percent: 1, step: 'reading' })
  await createStaging(trx)
  const isXls = isCompoundFile(await readHead(context.database, input.file_id))
  const file = readFile(context.database, input.file_id)
  const sheet = readUserSheet(file, isXls ? XLS_LIMITS : LIMITS, {
    // How many there are nobody knows; how many there may be is known.
    onProgress: (rows) =>
      context.report({ percent: 1 + Math.floor((48 * rows) / LIMITS.rowsMax), step: 'reading', rows }),
  })
  try {
    // A refused file must be told as such, and not as the broken pipe that it is too.
    const copied = pipeline(
      sheet.rows,
      (await rawConnection(trx)).query(copyFrom(`COPY ${STAGING} FROM STDIN`)),
    )
    const [columns] = await Promise.all([sheet.columns, sheet.done, copied])
    await analyzeStaging(trx)
    context.report({ percent: 50, step: 'read' })
    return columns
  } finally {
    sheet.stop()
    file.destroy()
  }
}

async function refuseEmpty(trx: Transaction): Promise<void> {
  const { rows } = await trx.raw(`SELECT count(*)::int AS number FROM ${STAGING}`)
  if (rows[0].number > 0) return
  throw invalid({ file: ['The file has no rows: with “deactivate” it would switch everybody off.'] })
}

type Result = Record<'created' | 'updated' | 'skipped' | 'errors', number[]>

function summarize({ created, updated, skipped, errors }: Result) {
  return { created: created.length, updated: updated.length, skipped: skipped.length, errors: errors.length }
}
