// Reads floor plans: the picture, its hash, and what it takes to draw it.
import type pg from 'pg'
import { findRow } from '../rows/rows.ts'
import type { FloorPlanPicture } from './map-layouts.ts'

/** What it takes to draw a floor plan, and the hash in its address. */
export type FloorPlanFacts = Omit<FloorPlanPicture, 'address'> & { hash: string }

export const FLOOR_PLAN_HASH = "left(encode(floor_plan_sha256, 'hex'), 16)"

export const findFloorPlanFacts = (reads: pg.Pool, locationId: number) =>
  findRow<FloorPlanFacts>(
    reads,
    `SELECT ${FLOOR_PLAN_HASH} AS hash, floor_plan_width AS width, floor_plan_height AS height,
       floor_plan_orientation AS orientation, cell_width AS "cellWidth", plan_shapes AS shapes
     FROM locations WHERE id = $1 AND floor_plan_sha256 IS NOT NULL`,
    [locationId],
  )

export const findFloorPlan = (reads: pg.Pool, locationId: number) =>
  findRow<{ data: Buffer; type: string; hash: string }>(
    reads,
    `SELECT floor_plan AS data, floor_plan_type AS type, ${FLOOR_PLAN_HASH} AS hash
     FROM locations WHERE id = $1 AND floor_plan IS NOT NULL`,
    [locationId],
  )
