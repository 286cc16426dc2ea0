// Validates the constraint of migration 0099 without blocking writers.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`ALTER TABLE waits VALIDATE CONSTRAINT waits__vehicle`

// A validation does not need to be reverted.
export const down = async () => undefined
