// Validates the constraint of migration 0104 without blocking writers.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`ALTER TABLE calendars VALIDATE CONSTRAINT calendars__names_known`

// A validation does not need to be reverted.
export const down = async () => undefined
