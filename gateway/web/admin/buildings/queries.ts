// Queries for buildings and their locations in the dashboard.
import type pg from 'pg'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { toSearchPattern } from '../../../reads/rows/like-patterns.ts'
import {
  column,
  flagColumn,
  listColumn,
  nullableColumn,
  numberColumn,
  type RowOf,
  selectRow,
  selectSlice,
  textColumn,
} from '../../../reads/rows/rows.ts'
import type { Slice } from '../../../reads/rows/slices.ts'
import type { ClosedNow } from '../../pages/ui/bookables.ts'

const LOCATION_COLUMNS = {
  id: numberColumn('locations.id'),
  name: textColumn('locations.name'),
  code: textColumn('locations.code'),
  hasFloorPlan: flagColumn('locations.floor_plan_type IS NOT NULL'),
  bookables: numberColumn(
    '(SELECT count(*) FROM bookables WHERE location_id = locations.id AND deleted_at IS NULL)',
  ),
  /** The closed time of the floor or its building that ends last, if one is under way. */
  closed: nullableColumn(
    column<ClosedNow>(`(SELECT json_build_object('to', closing.to, 'reason', closing.reason)
      FROM (VALUES (locations.rules), (buildings.rules)) AS place (rules),
        json_to_recordset(place.rules -> 'closed') AS closing ("from" timestamptz, "to" text, reason text)
      WHERE closing.from <= now() AND CAST(closing.to AS timestamptz) > now()
      ORDER BY CAST(closing.to AS timestamptz) DESC LIMIT 1)`),
  ),
}
export type LocationSummary = RowOf<typeof LOCATION_COLUMNS>

const BUILDING_COLUMNS = {
  id: numberColumn('buildings.id'),
  name: textColumn('buildings.name'),
  address: textColumn('buildings.address'),
  timezone: textColumn('buildings.timezone'),
  version: textColumn(versionSql('buildings')),
  locations: listColumn(
    LOCATION_COLUMNS,
    'locations WHERE locations.building_id = buildings.id',
    'locations.id',
  ),
}
export type BuildingRow = RowOf<typeof BUILDING_COLUMNS>

/** Searches the names and addresses of buildings, and the names and codes of their locations. */
export function listBuildings(reads: pg.Pool, search: string | undefined, slice: Slice) {
  const found = `buildings WHERE $1::text IS NULL OR name ILIKE $1 OR address ILIKE $1 OR EXISTS (
    SELECT FROM locations
    WHERE building_id = buildings.id AND (locations.name ILIKE $1 OR locations.code ILIKE $1)
  )`
  const values = [toSearchPattern(search)]
  return selectSlice(reads, BUILDING_COLUMNS, found, slice, { values, orderBy: `${naturalSql('name')}, id` })
}

export const findBuilding = (reads: pg.Pool, id: number) =>
  selectRow(reads, BUILDING_COLUMNS, 'buildings WHERE id = $1', [id])
