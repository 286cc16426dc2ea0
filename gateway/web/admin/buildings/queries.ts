// Queries for buildings and their locations in the dashboard.
import type pg from 'pg'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { searchPattern } from '../../../reads/rows/like-patterns.ts'
import { flag, list, number, type RowOf, selectRow, selectSlice, text } from '../../../reads/rows/rows.ts'
import type { Slice } from '../../../reads/rows/slices.ts'

const LOCATION = {
  id: number('locations.id'),
  name: text('locations.name'),
  code: text('locations.code'),
  hasFloorPlan: flag('locations.floor_plan_type IS NOT NULL'),
  bookables: number(
    '(SELECT count(*) FROM bookables WHERE location_id = locations.id AND deleted_at IS NULL)',
  ),
}
export type LocationSummary = RowOf<typeof LOCATION>

const BUILDING = {
  id: number('buildings.id'),
  name: text('buildings.name'),
  address: text('buildings.address'),
  timezone: text('buildings.timezone'),
  version: text(versionSql('buildings')),
  locations: list(LOCATION, 'locations WHERE locations.building_id = buildings.id', 'locations.id'),
}
export type BuildingRow = RowOf<typeof BUILDING>

/** Searches the words of buildings and of their locations. */
export function listBuildings(reads: pg.Pool, search: string | undefined, slice: Slice) {
  const found = `buildings WHERE $1::text IS NULL OR name ILIKE $1 OR address ILIKE $1 OR EXISTS (
    SELECT FROM locations
    WHERE building_id = buildings.id AND (locations.name ILIKE $1 OR locations.code ILIKE $1)
  )`
  const values = [searchPattern(search)]
  return selectSlice(reads, BUILDING, found, slice, { values, orderBy: `${naturalSql('name')}, id` })
}

export const findBuilding = (reads: pg.Pool, id: number) =>
  selectRow(reads, BUILDING, 'buildings WHERE id = $1', [id])
