// Validates the constraints of 0081, which lets writers go on meanwhile.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`
    ALTER TABLE arrivals VALIDATE CONSTRAINT arrivals__of_one;
    ALTER TABLE arrivals VALIDATE CONSTRAINT arrivals__walk_in;
    ALTER TABLE arrivals VALIDATE CONSTRAINT arrivals__visitor_name_length;
    ALTER TABLE arrivals VALIDATE CONSTRAINT arrivals__host;
    ALTER TABLE arrivals VALIDATE CONSTRAINT arrivals__building;
  `

// Validation needs no reverting.
export const down = async () => undefined
