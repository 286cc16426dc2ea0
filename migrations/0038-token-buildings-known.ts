// Validates the constraint on the number of buildings for existing tokens.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`ALTER TABLE tokens VALIDATE CONSTRAINT tokens__building_ids_number`

// A validation does not need to be reverted.
export const down = async () => undefined
