// Queries for buildings and their locations in the dashboard.

import type pg from 'pg'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { versionSql } from '../../../shared/schemas/versions.ts'
import { searchPattern } from '../../data/like-patterns.ts'
import { type Listed, type Slice, toListed, totalSql } from '../ui/paging.ts'

export const missingBuilding = message`This building does not exist, or it has been deleted.`

export type LocationSummary = {
  id: number
  name: string
  code: string
  bookables: number
  hasFloorPlan: boolean
}
export type BuildingRow = {
  id: number
  name: string
  address: string
  timezone: string
  version: string
  locations: LocationSummary[]
}

const LOCATIONS = `coalesce((
  SELECT json_agg(json_build_object(
    'id', locations.id, 'name', locations.name, 'code', locations.code,
    'hasFloorPlan', locations.floor_plan_type IS NOT NULL,
    'bookables', (
      SELECT count(*) FROM bookables WHERE location_id = locations.id AND deleted_at IS NULL
    )
  ) ORDER BY locations.id)
  FROM locations WHERE locations.building_id = buildings.id
), '[]')`

const COLUMNS = `buildings.id, buildings.name, buildings.address, buildings.timezone, ${LOCATIONS} AS locations,
  ${versionSql('buildings')} AS version`

/** Searches the words of buildings and of their locations. */
export async function listBuildings(
  reads: pg.Pool,
  { search, offset, limit }: Slice & { search?: string | undefined },
): Promise<Listed<BuildingRow>> {
  const found = `buildings WHERE $1::text IS NULL OR name ILIKE $1 OR address ILIKE $1 OR EXISTS (
    SELECT FROM locations
    WHERE building_id = buildings.id AND (locations.name ILIKE $1 OR locations.code ILIKE $1)
  )`
  const { rows } = await reads.query<BuildingRow & { total: number }>(
    `SELECT ${COLUMNS}, ${totalSql(found)} AS total FROM ${found}
     ORDER BY ${naturalSql('name')}, id LIMIT $2 OFFSET $3`,
    [searchPattern(search), limit, offset],
  )
  return toListed(rows)
}

async function findBuilding(reads: pg.Pool, id: number): Promise<BuildingRow | undefined> {
  const { rows } = await reads.query<BuildingRow>(`SELECT ${COLUMNS} FROM buildings WHERE id = $1`, [id])
  return rows[0]
}

export async function requireBuilding(reads: pg.Pool, id: number): Promise<BuildingRow> {
  const building = await findBuilding(reads, id)
  if (!building) throw new Refusal('not_found', missingBuilding)
  return building
}

export async function listBuildingNames(reads: pg.Pool): Promise<Array<{ id: number; name: string }>> {
  const { rows } = await reads.query(`SELECT id, name FROM buildings ORDER BY ${naturalSql('name')}, id`)
  return rows
}
