// Validates the constraint of 0065, which lets writers go on meanwhile.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`ALTER TABLE locations VALIDATE CONSTRAINT locations__plan_shapes_number`

// Validation needs no reverting.
export const down = async () => undefined
