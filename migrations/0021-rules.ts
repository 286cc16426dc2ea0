// Rules of buildings, locations and bookables for their bookings. As JSON, because they are read as a whole
// with the row, and most places have none.
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
