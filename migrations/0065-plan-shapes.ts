// Adds the areas and walls that administrators draw on floor plans. Migration 66 validates the constraint.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE locations ADD COLUMN plan_shapes jsonb;
    ALTER TABLE locations ADD CONSTRAINT locations__plan_shapes_number
      CHECK (jsonb_typeof(plan_shapes) = 'array' AND jsonb_array_length(plan_shapes) <= 200) NOT VALID;
  `

export const down = sql`ALTER TABLE locations DROP COLUMN plan_shapes`
