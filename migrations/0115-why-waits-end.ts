// Why a wait ended by itself, as the code of the refusal: the person has booked something else then.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE waits ADD COLUMN end_reason text;
  `

export const down = sql`
    ALTER TABLE waits DROP COLUMN end_reason;
  `
