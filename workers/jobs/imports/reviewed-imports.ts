// An import that an administrator reviews: stores its plan, and applies exactly that plan, for every kind of
// list.
import type { Change } from '../../../shared/audit/audit.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { forgetFile, isStored } from '../../runtime/files.ts'
import type { Write } from '../../runtime/write.ts'

/**
 * A temporary table of the transaction with a row for each row of the file: its `row_number`, `action` and
 * `all_errors`. For a review it also has `email` and `name` to show, `changes` (each field with its present and
 * its future value) and `cells`.
 */
export const IMPORT_PLAN = 'import_plan'
const SECTION = "CASE action WHEN 'restore' THEN 'change' ELSE action END"

type Input = { file_id: string; filename: string }
export type RowCounts = Record<'create' | 'change' | 'skip' | 'error', number>

type Plan = {
  header: string[]
  /** Counts in addition to those of the rows. */
  counts: object
  /** SQL: why a row is skipped or refused. */
  reason: string
  /** Selects these columns of the users that the import deactivates. */
  selectLeftOut?(columns: string): string
}

type Reviewed<Planned extends Plan> = {
  applied: boolean
  counts: RowCounts & Planned['counts']
  /** Nothing is planned before an administrator has said what the columns of the file are. */
  asks?: boolean
}

/** The parts that differ between lists. */
type ImportList<In extends Input, Planned extends Plan> = {
  /** The column of the plan, and of stored plans, that has the id of what a row changes. */
  subject: 'user_id' | 'bookable_id'
  /** Reads the file, plans it and passes the plan to `act`; if `isApplied`, locks first what the plan changes. */
  withPlan(
    write: Write,
    input: In,
    options: { isApplied: boolean },
    act: (savepoint: Write, plan: Planned) => Promise<Reviewed<Planned>>,
  ): Promise<Reviewed<Planned>>
  apply(write: Write, plan: Planned, input: In): Promise<void>
  audited(input: In, counts: RowCounts & Planned['counts']): Change
}

export const KEPT_HOURS = 24

export function reviewedImport<In extends Input, Planned extends Plan>({
  subject,
  withPlan,
  ...list
}: ImportList<In, Planned>) {
  /** Applies only the plan that the administrator has seen, if any. Another one is stored for review. */
  async function review(write: Write, input: In, seenId: string | null): Promise<Reviewed<Planned>> {
    await refuseDeletedFile(write, input.file_id)
    return withPlan(write, input, { isApplied: seenId !== null }, async (savepoint, plan) => {
      const counts = { ...(await countRows(savepoint)), ...plan.counts }
      const seen = `SELECT FROM import_plans WHERE id = ? AND digest = (${digestSql(subject, plan)})`
      if (seenId === null || !(await savepoint.first(seen, [seenId]))) {
        await store(savepoint, subject, plan, counts)
        return { applied: false, counts }
      }
      await list.apply(savepoint, plan, input)
      await savepoint.audit(list.audited(input, counts))
      await forgetFile(savepoint.trx, input.file_id)
      return { applied: true, counts }
    })
  }
  return {
    /** Changes nothing: an administrator reviews the plan first. */
    async plan(write: Write, input: In) {
      const { counts, asks } = await review(write, input, null)
      return asks ? { counts, asks } : { counts }
    },
    apply: (write: Write, input: In & { plan_id: string }) => review(write, input, input.plan_id),
  }
}

async function store(write: Write, subject: string, plan: Plan, counts: RowCounts): Promise<void> {
  const id = write.attempt
  await write.run(
    `INSERT INTO import_plans (id, digest, header, counts, expires_at)
     VALUES (?, (${digestSql(subject, plan)}), ?, ?, now() + ? * interval '1 hour')`,
    [id, plan.header, JSON.stringify(counts), KEPT_HOURS],
  )
  await write.run(storeRowsSql(subject, plan), [id])
  const leftOut = plan.selectLeftOut?.(
    "?::uuid, 'deactivate', row_number() OVER (ORDER BY lower(name), id), id, email, name",
  )
  if (leftOut === undefined) return
  const insert = 'INSERT INTO import_plan_rows (plan_id, section, ordinal, user_id, email, name)'
  await write.run(`${insert} ${leftOut}`, [id])
}

/** Equal for two plans that make the same changes to the same rows, with the same values before. */
const digestSql = (subject: string, { selectLeftOut }: Plan) => `
  SELECT md5(concat(
    (SELECT string_agg(md5(CASE WHEN changes IS NULL THEN row_number || action
        ELSE concat_ws(' ', row_number, action, ${subject}, changes) END), '' ORDER BY row_number) FROM ${IMPORT_PLAN}),
    (${selectLeftOut?.("md5(string_agg(users.id::text, ' ' ORDER BY users.id))") ?? "SELECT ''"})
  ))`

// Rows that must be fixed before anybody is deactivated come first.
const storeRowsSql = (subject: string, { reason }: Plan) => `
  INSERT INTO import_plan_rows (plan_id, section, ordinal, row_number, ${subject}, email, name, reason, changes, errors, cells)
  SELECT ?, section, row_number() OVER (PARTITION BY section ORDER BY reason IS DISTINCT FROM 'unmatched', row_number),
    row_number, ${subject}, email, name, reason, changes, all_errors, CASE WHEN section = 'error' THEN cells END
  FROM (SELECT *, ${SECTION} AS section, ${reason} AS reason FROM ${IMPORT_PLAN}) AS plan`

export async function countRows(write: Write): Promise<RowCounts> {
  const rows = await write.all<{ section: keyof RowCounts; number: number }>(
    `SELECT ${SECTION} AS section, count(*)::int AS number FROM ${IMPORT_PLAN} GROUP BY section`,
  )
  const counts: RowCounts = { create: 0, change: 0, skip: 0, error: 0 }
  for (const { section, number } of rows) counts[section] = number
  return counts
}

/** With the names of the audit log. */
export const auditedCounts = ({ create, change, skip, error }: RowCounts) => ({
  created: create,
  updated: change,
  skipped: skip,
  errors: error,
})

async function refuseDeletedFile({ database }: Write, fileId: string): Promise<void> {
  if (await isStored(database, fileId)) return
  throw invalid({
    file: [message`The file is no longer stored: it has been applied, or it is older than 24 hours.`],
  })
}
