// Adds codes to print and stick on desks. Scanning a code opens a URL that contains the code.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE bookable_codes (
      bookable_id bigint CONSTRAINT bookable_codes__key PRIMARY KEY
        CONSTRAINT bookable_codes__bookable REFERENCES bookables ON DELETE CASCADE,
      code text NOT NULL CONSTRAINT bookable_codes__code_unique UNIQUE
    );
  `

export const down = sql`DROP TABLE bookable_codes;`
