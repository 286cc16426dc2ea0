// Reads floor plans: the picture, its hash, and what is needed to draw the picture.
import type pg from 'pg'
import type { PlanShape } from '../../../shared/locations/plan-shapes.ts'
import { column, findRow, nullableColumn, numberColumn, selectRow, textColumn } from '../rows/rows.ts'
import type { FloorPlanPicture } from './map-layouts.ts'

/** What is needed to draw a floor plan, and the hash in the URL of its picture. */
export type FloorPlanFacts = Omit<FloorPlanPicture, 'address'> & { hash: string }

export const FLOOR_PLAN_HASH_SQL = "left(encode(floor_plan_sha256, 'hex'), 16)"

const FACT_COLUMNS = {
  hash: textColumn(FLOOR_PLAN_HASH_SQL),
  width: numberColumn('floor_plan_width'),
  height: numberColumn('floor_plan_height'),
  orientation: numberColumn('floor_plan_orientation'),
  cellWidth: nullableColumn(numberColumn('cell_width')),
  shapes: column<PlanShape[] | null>('plan_shapes'),
}

export const findFloorPlanFacts = (reads: pg.Pool, locationId: number): Promise<FloorPlanFacts | undefined> =>
  selectRow(reads, FACT_COLUMNS, 'locations WHERE id = $1 AND floor_plan_sha256 IS NOT NULL', [locationId])

export const findFloorPlan = (reads: pg.Pool, locationId: number) =>
  findRow<{ data: Buffer; type: string; hash: string }>(
    reads,
    `SELECT floor_plan AS data, floor_plan_type AS type, ${FLOOR_PLAN_HASH_SQL} AS hash
     FROM locations WHERE id = $1 AND floor_plan IS NOT NULL`,
    [locationId],
  )
