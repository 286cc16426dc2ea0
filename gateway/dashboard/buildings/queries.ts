// Queries for buildings and their locations in the dashboard.
import type pg from 'pg'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../shared/schemas/versions.ts'
import { searchPattern } from '../../data/like-patterns.ts'
import type { Listed, Slice } from '../ui/paging.ts'
import { findRow, listSlice } from '../ui/rows.ts'

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
export function listBuildings(
  reads: pg.Pool,
  search: string | undefined,
  slice: Slice,
): Promise<Listed<BuildingRow>> {
  const from = `buildings WHERE $1::text IS NULL OR name ILIKE $1 OR address ILIKE $1 OR EXISTS (
    SELECT FROM locations
    WHERE building_id = buildings.id AND (locations.name ILIKE $1 OR locations.code ILIKE $1)
  )`
  const orderBy = `${naturalSql('name')}, id`
  return listSlice(reads, { columns: COLUMNS, from, values: [searchPattern(search)], orderBy }, slice)
}

export const findBuilding = (reads: pg.Pool, id: number) =>
  findRow<BuildingRow>(reads, `SELECT ${COLUMNS} FROM buildings WHERE id = $1`, [id])
