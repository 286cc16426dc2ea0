// Validates the constraints of 0060, which lets writers go on meanwhile.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`
    ALTER TABLE locations VALIDATE CONSTRAINT locations__cell_width_range;
    ALTER TABLE bookables VALIDATE CONSTRAINT bookables__position_width_range;
    ALTER TABLE bookables VALIDATE CONSTRAINT bookables__position_height_range;
    ALTER TABLE bookables VALIDATE CONSTRAINT bookables__position_rotation_range;
  `

// Validation needs no reverting.
export const down = async () => undefined
