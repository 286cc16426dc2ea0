// Validates the constraint of migration 0065 without blocking writers.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`ALTER TABLE locations VALIDATE CONSTRAINT locations__plan_shapes_number`

// A validation does not need to be reverted.
export const down = async () => undefined
