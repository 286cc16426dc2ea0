// Imports of desks, rooms and parking as the dashboard follows them. From the primary, because a replica may not have what
// was just uploaded.
import type pg from 'pg'
import type { BookableImportCounts } from '../../../../shared/contracts/places/bookable-imports.ts'
import type { InputOf, ReplyOf } from '../../../../shared/jobs.ts'
import { type ImportFacts, selectImports } from '../../imports/queries.ts'

export const BOOKABLE_PLAN_SECTIONS = ['create', 'change', 'error', 'skip'] as const
export type BookablePlanSection = (typeof BOOKABLE_PLAN_SECTIONS)[number]

const JOBS = ['bookables.plan-import', 'bookables.apply-import-plan'] as const

/** What was asked, and what came of it. */
type Asked = {
  [Name in (typeof JOBS)[number]]: { name: Name; input: InputOf<Name>; reply: ReplyOf<Name> | null }
}[(typeof JOBS)[number]]

export type BookableImportRow = Asked & ImportFacts

export async function findBookableImport(
  primary: pg.Pool,
  id: string,
): Promise<BookableImportRow | undefined> {
  const { rows } = await primary.query<BookableImportRow>(`${selectImports(JOBS)} AND jobs.id = $1`, [id])
  return rows[0]
}

/** The latest of a location; those that run first. One that was reviewed and applied is one import. */
export async function listBookableImports(
  primary: pg.Pool,
  locationId: number,
  limit: number,
): Promise<BookableImportRow[]> {
  const { rows } = await primary.query<BookableImportRow>(
    `${selectImports(JOBS)} AND (jobs.envelope #>> '{input,location_id}')::bigint = $1
       AND NOT EXISTS (SELECT FROM jobs AS later WHERE later.plan_id = jobs.id)
     ORDER BY jobs.finished_at IS NULL DESC, jobs.created_at DESC LIMIT $2`,
    [locationId, limit],
  )
  return rows
}

export type BookablePlan = { counts: BookableImportCounts; header: string[] }

export async function findBookablePlan(primary: pg.Pool, id: string): Promise<BookablePlan | undefined> {
  const { rows } = await primary.query<BookablePlan>(
    'SELECT counts, header FROM import_plans WHERE id = $1 AND expires_at > now()',
    [id],
  )
  return rows[0]
}
