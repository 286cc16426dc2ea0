// Reads imports for the dashboard: accepted jobs, their import plans, and the lock of the running one. Reads
// from the primary, because a replica may not have the newest upload.
import type pg from 'pg'
import { IMPORT_LOCK } from '../../../shared/imports/import-lock.ts'
import type { AcceptedJobName, RefusedOutcome } from '../../../shared/jobs/jobs.ts'
import type { RowErrors } from '../../../shared/messages/row-errors.ts'
import type { Phase } from '../../../shared/schemas/progress.ts'
import type { ImportCounts } from '../../../shared/users/users.ts'

export type ImportPlanSection = 'create' | 'change' | 'error' | 'skip' | 'deactivate'

/** `Input`: the input of the job. */
export type ImportRow<Input = { filename: string }> = {
  id: string
  name: string
  input: Input
  /** The result; null for an import by the API. */
  reply: { applied?: boolean; counts: Partial<ImportCounts> } | null
  /** The administrator who started it; null if a token did. */
  adminId: number | null
  actorName: string
  state: 'queued' | 'running' | 'done' | 'failed'
  progress: number
  phase: Phase | null
  rowsRead: number | null
  createdAt: string
  finishedAt: string | null
  /** Why the import was refused. */
  failure: RefusedOutcome | null
  /** The uploaded file is still stored, and can be compared and applied. */
  hasFile: boolean
  /** The import plan that this job applies. */
  planId: string | null
  /** The job that applies the import plan of this one. */
  appliedBy: string | null
}
export type AnyImport = ImportRow

const IMPORTS = `
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

/** Finds an import that was started in the dashboard. */
export async function findImport<Input>(
  primary: pg.Pool,
  names: readonly AcceptedJobName[],
  id: string,
): Promise<ImportRow<Input> | undefined> {
  const { rows } = await primary.query<ImportRow<Input>>(
    `${IMPORTS} AND jobs.id = $2 AND jobs.name <> 'users.import'`,
    [names, id],
  )
  return rows[0]
}

/** The latest imports of a scope, running ones first. Review and application count as one import. */
export async function listImports(
  primary: pg.Pool,
  names: readonly AcceptedJobName[],
  scope: object,
  limit: number,
): Promise<ImportRow[]> {
  const { rows } = await primary.query<ImportRow>(
    `${IMPORTS} AND jobs.envelope -> 'input' @> $2
       AND NOT EXISTS (SELECT FROM jobs AS later WHERE later.plan_id = jobs.id)
     ORDER BY jobs.finished_at IS NULL DESC, jobs.created_at DESC LIMIT $3`,
    [names, scope, limit],
  )
  return rows
}

/** Includes an import by a waiting API caller, which has no row in any table. */
export async function isImporting(primary: pg.Pool): Promise<boolean> {
  const { rows } = await primary.query(
    `SELECT FROM pg_locks
     WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND objid::bigint = $1 AND classid = 0
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [IMPORT_LOCK],
  )
  return rows.length > 0
}

export type ImportPlan = { counts: ImportCounts; header: string[] }

const NO_ROWS: ImportCounts = {
  create: 0,
  change: 0,
  skip: 0,
  error: 0,
  deactivate: 0,
  kept: 0,
  unmatched: 0,
}

/** Some lists deactivate nothing, and an older release did not count rows with errors. */
export const completeCounts = (counts: Partial<ImportCounts>): ImportCounts => ({ ...NO_ROWS, ...counts })

export async function findImportPlan(primary: pg.Pool, id: string): Promise<ImportPlan | undefined> {
  const { rows } = await primary.query<{ counts: Partial<ImportCounts>; header: string[] }>(
    'SELECT counts, header FROM import_plans WHERE id = $1 AND expires_at > now()',
    [id],
  )
  return rows[0] && { ...rows[0], counts: completeCounts(rows[0].counts) }
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
  /** The number of upcoming bookings of a user who is deactivated. */
  bookings: number
}

/** Pages by the ordinal in the section, so that the last page costs no more than the first. */
export async function listImportPlanRows(
  primary: pg.Pool,
  planId: string,
  { section, offset, limit }: { section: ImportPlanSection; offset: number; limit: number },
): Promise<ImportPlanRow[]> {
  const { rows } = await primary.query<ImportPlanRow>(
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
  return rows
}
