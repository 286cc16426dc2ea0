// The refusal code of a wait that ended because the person has booked something else at that time.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE waits ADD COLUMN end_reason text;
  `

export const down = sql`
    ALTER TABLE waits DROP COLUMN end_reason;
  `
