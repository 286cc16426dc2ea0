// Validates the constraint of 0099, which lets writers go on meanwhile.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`ALTER TABLE waits VALIDATE CONSTRAINT waits__vehicle`

// Validation needs no reverting.
export const down = async () => undefined
