// Validates the constraint of 0104, which lets writers go on meanwhile.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`ALTER TABLE calendars VALIDATE CONSTRAINT calendars__names_known`

// Validation needs no reverting.
export const down = async () => undefined
