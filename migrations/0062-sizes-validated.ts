// Validates the constraints of migration 0060 without blocking writers.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`
    ALTER TABLE locations VALIDATE CONSTRAINT locations__cell_width_range;
    ALTER TABLE bookables VALIDATE CONSTRAINT bookables__position_width_range;
    ALTER TABLE bookables VALIDATE CONSTRAINT bookables__position_height_range;
    ALTER TABLE bookables VALIDATE CONSTRAINT bookables__position_rotation_range;
  `

// A validation does not need to be reverted.
export const down = async () => undefined
