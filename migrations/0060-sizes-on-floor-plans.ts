// Adds the size of cells on a floor plan: one width for all bookables of a location, and a size and a rotation for
// single bookables. Migration 62 validates the constraints.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE locations ADD COLUMN cell_width double precision;
    ALTER TABLE locations ADD CONSTRAINT locations__cell_width_range
      CHECK (cell_width > 0 AND cell_width <= 1) NOT VALID;
    ALTER TABLE bookables
      ADD COLUMN position_width double precision,
      ADD COLUMN position_height double precision,
      ADD COLUMN position_rotation smallint;
    ALTER TABLE bookables ADD CONSTRAINT bookables__position_width_range
      CHECK (position_width > 0 AND position_width <= 1) NOT VALID;
    ALTER TABLE bookables ADD CONSTRAINT bookables__position_height_range
      CHECK (position_height > 0 AND position_height <= 1) NOT VALID;
    ALTER TABLE bookables ADD CONSTRAINT bookables__position_rotation_range
      CHECK (position_rotation BETWEEN 0 AND 359) NOT VALID;
  `

export const down = sql`
    ALTER TABLE bookables DROP COLUMN position_width, DROP COLUMN position_height, DROP COLUMN position_rotation;
    ALTER TABLE locations DROP COLUMN cell_width
  `
