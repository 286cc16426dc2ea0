// Adds booking rules to buildings, locations and bookables. The rules are stored as JSON, because they are always read
// together with the row, and most places have none.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE buildings ADD COLUMN rules json;
    ALTER TABLE locations ADD COLUMN rules json;
    ALTER TABLE bookables ADD COLUMN rules json;
  `

export const down = sql`
    ALTER TABLE bookables DROP COLUMN rules;
    ALTER TABLE locations DROP COLUMN rules;
    ALTER TABLE buildings DROP COLUMN rules;
  `
