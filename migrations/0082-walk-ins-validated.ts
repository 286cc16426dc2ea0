// Validates the constraints of migration 0081 without blocking writers.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`
    ALTER TABLE arrivals VALIDATE CONSTRAINT arrivals__of_one;
    ALTER TABLE arrivals VALIDATE CONSTRAINT arrivals__walk_in;
    ALTER TABLE arrivals VALIDATE CONSTRAINT arrivals__visitor_name_length;
    ALTER TABLE arrivals VALIDATE CONSTRAINT arrivals__host;
    ALTER TABLE arrivals VALIDATE CONSTRAINT arrivals__building;
  `

// A validation does not need to be reverted.
export const down = async () => undefined
