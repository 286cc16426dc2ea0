// Validates the constraint on the number of buildings for the existing tokens.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`ALTER TABLE tokens VALIDATE CONSTRAINT tokens__building_ids_number`

// Validation needs no reverting.
export const down = async () => undefined
