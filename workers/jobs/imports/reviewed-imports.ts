// Stores the plan of an import that an administrator reviews, and applies only the plan that they reviewed. Works for
// every kind of list.
import type { AuditedChange } from '../../../shared/audit/audit.ts'
import { createDeletedFileRefusal, deleteFile, isFileStored } from '../../runtime/files.ts'
import type { Write } from '../../runtime/write.ts'

/**
 * A temporary table of the transaction that has one row for each row of the file, with its `row_number`, `action` and
 * `all_errors`. For a review, the table also has `email` and `name` to show, `changes` (each field with its current and
 * its new value) and `cells`.
 */
export const IMPORT_PLAN = 'import_plan'
const SECTION_SQL = "CASE action WHEN 'restore' THEN 'change' ELSE action END"

type ReviewedInput = { file_id: string; filename: string }
export type RowCounts = Record<'create' | 'change' | 'skip' | 'error', number>

type ReviewedPlan = {
  header: string[]
  /** Counts to show in addition to the numbers of rows. */
  counts: object
  /** SQL for why a row is skipped or refused. */
  reason: string
  /** Returns SQL that selects these columns of the users whom the import deactivates. */
  selectLeftOut?(columns: string): string
}

type ReviewResult<Planned extends ReviewedPlan> = {
  applied: boolean
  counts: RowCounts & Planned['counts']
  /** If set, the import plans nothing until an administrator has chosen what the columns of the file mean. */
  asks?: boolean
}

/** The parts of an import that differ between kinds of list. */
type ImportList<In extends ReviewedInput, Planned extends ReviewedPlan> = {
  /** The column with the id of what a row changes, both in the plan and in stored plans. */
  subject: 'user_id' | 'bookable_id'
  /**
   * Reads the file, plans the import and passes the plan to `act`. If `isApplied` is set, first locks what the plan
   * changes.
   */
  withPlan(
    write: Write,
    input: In,
    options: { isApplied: boolean },
    act: (savepoint: Write, plan: Planned) => Promise<ReviewResult<Planned>>,
  ): Promise<ReviewResult<Planned>>
  apply(write: Write, plan: Planned, input: In): Promise<void>
  audited(input: In, counts: RowCounts & Planned['counts']): AuditedChange
}

export const PLAN_KEPT_HOURS = 24

export function createReviewedImport<In extends ReviewedInput, Planned extends ReviewedPlan>({
  subject,
  withPlan,
  ...list
}: ImportList<In, Planned>) {
  /**
   * Applies the plan if it is the one that the administrator has seen. Otherwise stores the plan for another review.
   */
  async function review(write: Write, input: In, seenId: string | null): Promise<ReviewResult<Planned>> {
    await refuseDeletedFile(write, input.file_id)
    return withPlan(write, input, { isApplied: seenId !== null }, async (savepoint, plan) => {
      const counts = { ...(await countRows(savepoint)), ...plan.counts }
      const seen = `SELECT FROM import_plans WHERE id = ? AND digest = (${digestSql(subject, plan)})`
      if (seenId === null || !(await savepoint.first(seen, [seenId]))) {
        await storePlan(savepoint, subject, plan, counts)
        return { applied: false, counts }
      }
      await list.apply(savepoint, plan, input)
      await savepoint.audit(list.audited(input, counts))
      await deleteFile(savepoint.trx, input.file_id)
      return { applied: true, counts }
    })
  }
  return {
    /** Stores a plan without applying it, so that an administrator can review it first. */
    async plan(write: Write, input: In) {
      const { counts, asks } = await review(write, input, null)
      return asks ? { counts, asks } : { counts }
    },
    apply: (write: Write, input: In & { plan_id: string }) => review(write, input, input.plan_id),
  }
}

async function storePlan(
  write: Write,
  subject: string,
  plan: ReviewedPlan,
  counts: RowCounts,
): Promise<void> {
  const id = write.attempt
  await write.run(
    `INSERT INTO import_plans (id, digest, header, counts, expires_at)
     VALUES (?, (${digestSql(subject, plan)}), ?, ?, now() + ? * interval '1 hour')`,
    [id, plan.header, JSON.stringify(counts), PLAN_KEPT_HOURS],
  )
  await write.run(storeRowsSql(subject, plan), [id])
  const leftOut = plan.selectLeftOut?.(
    "?::uuid, 'deactivate', row_number() OVER (ORDER BY lower(name), id), id, email, name",
  )
  if (leftOut === undefined) return
  const insert = 'INSERT INTO import_plan_rows (plan_id, section, ordinal, user_id, email, name)'
  await write.run(`${insert} ${leftOut}`, [id])
}

/**
 * Returns SQL for a digest of a plan. Two plans have the same digest if they make the same changes to the same rows,
 * with the same previous values.
 */
const digestSql = (subject: string, { selectLeftOut }: ReviewedPlan) => `
  SELECT md5(concat(
    (SELECT string_agg(md5(CASE WHEN changes IS NULL THEN row_number || action
        ELSE concat_ws(' ', row_number, action, ${subject}, changes) END), '' ORDER BY row_number) FROM ${IMPORT_PLAN}),
    (${selectLeftOut?.("md5(string_agg(users.id::text, ' ' ORDER BY users.id))") ?? "SELECT ''"})
  ))`

// SQL that stores the rows of a plan. Rows that must be fixed before anybody can be deactivated come first.
const storeRowsSql = (subject: string, { reason }: ReviewedPlan) => `
  INSERT INTO import_plan_rows (plan_id, section, ordinal, row_number, ${subject}, email, name, reason, changes, errors, cells)
  SELECT ?, section, row_number() OVER (PARTITION BY section ORDER BY reason IS DISTINCT FROM 'unmatched', row_number),
    row_number, ${subject}, email, name, reason, changes, all_errors, CASE WHEN section = 'error' THEN cells END
  FROM (SELECT *, ${SECTION_SQL} AS section, ${reason} AS reason FROM ${IMPORT_PLAN}) AS plan`

export async function countRows(write: Write): Promise<RowCounts> {
  const rows = await write.all<{ section: keyof RowCounts; number: number }>(
    `SELECT ${SECTION_SQL} AS section, count(*)::int AS number FROM ${IMPORT_PLAN} GROUP BY section`,
  )
  const counts: RowCounts = { create: 0, change: 0, skip: 0, error: 0 }
  for (const { section, number } of rows) counts[section] = number
  return counts
}

/** Returns the numbers of rows, with the names that the audit log uses. */
export const toAuditedCounts = ({ create, change, skip, error }: RowCounts) => ({
  created: create,
  updated: change,
  skipped: skip,
  errors: error,
})

async function refuseDeletedFile({ database }: Write, fileId: string): Promise<void> {
  if (!(await isFileStored(database, fileId))) throw createDeletedFileRefusal()
}
