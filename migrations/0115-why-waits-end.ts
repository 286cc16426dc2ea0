// Stores the refusal code of a waitlist entry that ended because the person booked something else for the same time.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE waits ADD COLUMN end_reason text;
  `

export const down = sql`
    ALTER TABLE waits DROP COLUMN end_reason;
  `
