// Reads imports for the dashboard: accepted jobs, their import plans, and the lock of the running import. Reads from
// the primary, because a replica may not have the newest upload.
import type pg from 'pg'
import { isExclusiveLockSql } from '../../../../shared/database/locks.ts'
import type { RowErrors } from '../../../../shared/imports/headings.ts'
import type { FilePreview } from '../../../../shared/imports/layouts.ts'
import type { AcceptedJobName, InputOf, JobName, RefusedOutcome } from '../../../../shared/jobs/jobs.ts'
import type { ProgressPhase } from '../../../../shared/schemas/progress.ts'
import type { ImportCounts } from '../../../../shared/users/users.ts'
import { findRow, listRows } from '../../../reads/rows/rows.ts'
import type { Slice } from '../../../reads/rows/slices.ts'

export type ImportPlanSection = 'create' | 'change' | 'error' | 'skip' | 'deactivate'

export type JobOf<Kind extends string> = Extract<JobName, `${string}.${Kind}`>

export type ImportInput = InputOf<JobOf<'plan-import'>>

export type ImportRow<Input = ImportInput> = {
  id: string
  name: string
  input: Input
  /** The result of the import; null for an import through the API. */
  reply: { applied?: boolean; counts: Partial<ImportCounts>; asks?: boolean } | null
  /** The administrator who started the import; null if a token did. */
  adminId: number | null
  actorName: string
  state: 'queued' | 'running' | 'done' | 'failed'
  progress: number
  phase: ProgressPhase | null
  rowsRead: number | null
  createdAt: string
  finishedAt: string | null
  failure: RefusedOutcome | null
  /** Whether the uploaded file is still stored, so that it can still be compared and applied. */
  hasFile: boolean
  planId: string | null
  appliedBy: string | null
}

const IMPORTS_SQL = `
  SELECT jobs.id, jobs.name, jobs.envelope -> 'input' AS input, jobs.admin_id AS "adminId", jobs.actor_name AS "actorName",
    jobs.state, jobs.progress, jobs.phase, jobs.rows_read AS "rowsRead", jobs.created_at AS "createdAt", jobs.finished_at AS "finishedAt",
    CASE WHEN jobs.state = 'done' AND jobs.name <> 'users.import' THEN (jobs.outcome ->> 'body')::json END AS reply,
    CASE WHEN jobs.state = 'failed' THEN jobs.outcome END AS failure,
    EXISTS (SELECT FROM files WHERE files.id = jobs.import_file_id AND files.expires_at > now()) AS "hasFile",
    jobs.plan_id AS "planId",
    (SELECT later.id FROM jobs AS later WHERE later.plan_id = jobs.id
      ORDER BY later.created_at DESC LIMIT 1) AS "appliedBy"
  FROM jobs
  WHERE jobs.name = ANY ($1)`

export const findImport = (primary: pg.Pool, names: readonly AcceptedJobName[], id: string) =>
  findRow<ImportRow>(primary, `${IMPORTS_SQL} AND jobs.id = $2 AND jobs.name <> 'users.import'`, [names, id])

/** Lists the latest imports of a scope, running imports first. Reviewing and applying a file counts as one import. */
export const listImports = (
  primary: pg.Pool,
  names: readonly AcceptedJobName[],
  scope: object,
  limit: number,
) =>
  listRows<ImportRow>(
    primary,
    `${IMPORTS_SQL} AND jobs.envelope -> 'input' @> $2
       AND NOT EXISTS (SELECT FROM jobs AS later WHERE later.plan_id = jobs.id)
     ORDER BY jobs.finished_at IS NULL DESC, jobs.created_at DESC LIMIT $3`,
    [names, scope, limit],
  )

/** Returns whether an import is running. This includes an import whose API caller waits, which has no row in
 * any table. */
export async function isImportRunning(primary: pg.Pool): Promise<boolean> {
  const lock = await findRow(primary, `SELECT FROM pg_locks WHERE ${isExclusiveLockSql('imports')}`, [])
  return lock !== undefined
}

/** Finds the columns that were chosen for the last file with the same headings; see createHeadingsKey. */
export async function findColumnLayouts(primary: pg.Pool, keys: string[]): Promise<Map<string, string[]>> {
  const text = 'SELECT headings, columns FROM import_layouts WHERE headings = ANY ($1)'
  const rows = await listRows<{ headings: string; columns: string[] }>(primary, text, [keys])
  return new Map(rows.map(({ headings, columns }) => [headings, columns]))
}

export type ImportPlan = {
  counts: ImportCounts
  header: string[]
  /** The first rows of a file whose columns are still unknown. */
  preview: FilePreview | null
}

const ZERO_COUNTS = { create: 0, change: 0, skip: 0, error: 0, deactivate: 0, kept: 0, unmatched: 0 }

/** Adds missing counts: some kinds of list deactivate nothing, and an older release did not count rows with errors. */
export const completeCounts = (counts: Partial<ImportCounts>): ImportCounts => ({ ...ZERO_COUNTS, ...counts })

export async function findImportPlan(primary: pg.Pool, id: string): Promise<ImportPlan | undefined> {
  const text = 'SELECT counts, header, preview FROM import_plans WHERE id = $1 AND expires_at > now()'
  const plan = await findRow<Omit<ImportPlan, 'counts'> & { counts: Partial<ImportCounts> }>(primary, text, [
    id,
  ])
  return plan && { ...plan, counts: completeCounts(plan.counts) }
}

export type ImportPlanRow = {
  rowNumber: number | null
  userId: number | null
  bookableId: number | null
  email: string | null
  name: string | null
  reason: 'same' | 'known' | 'deactivated' | 'kept' | 'unmatched' | null
  changes: Record<string, [before: unknown, after: unknown]> | null
  errors: RowErrors | null
  /** The number of upcoming bookings of a user who will be deactivated. */
  bookings: number
}

/** Lists a page of the plan's rows by their number in the section, so that the last page loads as fast as the first. */
export const listImportPlanRows = (
  primary: pg.Pool,
  planId: string,
  section: ImportPlanSection,
  { offset, limit }: Slice,
) =>
  listRows<ImportPlanRow>(
    primary,
    `SELECT row_number AS "rowNumber", user_id AS "userId", bookable_id AS "bookableId", email, name, reason, changes, errors,
       CASE WHEN section = 'deactivate' THEN (
         SELECT count(*)::int FROM bookings
         WHERE bookings.user_id = import_plan_rows.user_id AND bookings.during && tstzrange(now(), NULL)
       ) ELSE 0 END AS bookings
     FROM import_plan_rows
     WHERE plan_id = $1 AND section = $2 AND ordinal > $3 AND ordinal <= $3 + $4
     ORDER BY ordinal`,
    [planId, section, offset, limit],
  )
