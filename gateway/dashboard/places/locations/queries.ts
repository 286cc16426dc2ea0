// Locations, and their floor plans, as the dashboard needs them.
import type pg from 'pg'
import { type ImageSize, imageSize } from '../../../../shared/image-size.ts'
import { versionSql } from '../../../../shared/shapes/versions.ts'

export type LocationRow = {
  id: number
  name: string
  code: string
  buildingId: number
  building: string
  timezone: string
  version: string
  hasPlan: boolean
  bookables: number
  /** Those that stand on the plan. */
  placed: number
}

export type PlanFacts = { hash: string }

// The size of a picture stands in its first bytes, behind what a camera or an editor has put there: mostly little.
const HEADS_BYTES = [4 * 1024, 256 * 1024]

const HASH = "left(encode(sha256(floor_plan), 'hex'), 16)"

export async function findLocation(reads: pg.Pool, id: number): Promise<LocationRow | undefined> {
  const { rows } = await reads.query<LocationRow>(
    `SELECT locations.id, locations.name, locations.code, buildings.id AS "buildingId",
       buildings.name AS building, buildings.timezone, locations.floor_plan_type IS NOT NULL AS "hasPlan",
       ${versionSql('locations')} AS version, counted.bookables, counted.placed
     FROM locations JOIN buildings ON buildings.id = locations.building_id, LATERAL (
       SELECT count(*)::int AS bookables, count(plan_x)::int AS placed
       FROM bookables WHERE location_id = locations.id AND deleted_at IS NULL
     ) AS counted
     WHERE locations.id = $1`,
    [id],
  )
  return rows[0]
}

export async function findPlanFacts(reads: pg.Pool, locationId: number): Promise<PlanFacts | undefined> {
  const { rows } = await reads.query<PlanFacts>(
    `SELECT ${HASH} AS hash
     FROM locations WHERE id = $1 AND floor_plan IS NOT NULL`,
    [locationId],
  )
  return rows[0]
}

/** Undefined where there is no plan; no size where there is one whose size nobody can tell. */
export async function findPlanSize(
  reads: pg.Pool,
  locationId: number,
): Promise<{ size: ImageSize | undefined } | undefined> {
  for (const bytes of HEADS_BYTES) {
    const { rows } = await reads.query<{ head: Buffer }>(
      `SELECT substring(floor_plan FROM 1 FOR $2::int) AS head
       FROM locations WHERE id = $1 AND floor_plan IS NOT NULL`,
      [locationId, bytes],
    )
    const [row] = rows
    if (!row) return undefined
    const size = imageSize(row.head)
    if (size) return { size }
  }
  return { size: undefined }
}

export async function findPlan(
  reads: pg.Pool,
  locationId: number,
): Promise<{ data: Buffer; type: string; hash: string } | undefined> {
  const { rows } = await reads.query(
    `SELECT floor_plan AS data, floor_plan_type AS type, ${HASH} AS hash
     FROM locations WHERE id = $1 AND floor_plan IS NOT NULL`,
    [locationId],
  )
  return rows[0]
}

export type LocationName = { id: number; name: string; building: string }

export async function listLocationNames(reads: pg.Pool): Promise<LocationName[]> {
  const { rows } = await reads.query<LocationName>(
    `SELECT locations.id, locations.name, buildings.name AS building
     FROM locations JOIN buildings ON buildings.id = locations.building_id
     ORDER BY lower(buildings.name), buildings.id, locations.id`,
  )
  return rows
}
