// Stores whether the calendar of a bookable or a location shows people's names. Null means `full`, as in earlier
// releases.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE calendars ADD COLUMN names text;
    ALTER TABLE calendars ADD CONSTRAINT calendars__names_known
      CHECK (names IS NULL OR (names IN ('full', 'initials', 'none') AND user_id IS NULL)) NOT VALID;
  `

// Reverting deletes the calendar addresses that the previous release would show with full names.
export const down = sql`
    DELETE FROM calendars WHERE names <> 'full';
    ALTER TABLE calendars DROP COLUMN names;
  `
