// Stores when Berth began to remove an entry from the calendar of an organizer. A room that stores an answer about the entry later
// then knows that Berth has removed the entry, and not somebody else.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE organizer_entries
      -- Null unless Berth is removing the entry, or has removed it.
      ADD COLUMN withdrawn_at timestamptz;
  `

export const down = sql`
    ALTER TABLE organizer_entries DROP COLUMN withdrawn_at;
  `
