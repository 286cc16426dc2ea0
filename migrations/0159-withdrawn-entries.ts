// Adds when Berth began to remove an entry from the calendar of an organizer, so that a room which stores an answer about it later does
// not take the removal for that of somebody else.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE organizer_entries
      -- Null if the entry is to exist.
      ADD COLUMN withdrawn_at timestamptz;
  `

export const down = sql`
    ALTER TABLE organizer_entries DROP COLUMN withdrawn_at;
  `
