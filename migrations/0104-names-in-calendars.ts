// What the calendar of a bookable or a location shows about people. Null means `full`, as in earlier releases.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE calendars ADD COLUMN names text;
    ALTER TABLE calendars ADD CONSTRAINT calendars__names_known
      CHECK (names IS NULL OR (names IN ('full', 'initials', 'none') AND user_id IS NULL)) NOT VALID;
  `

// Deletes the addresses whose calendars the previous release would show with names.
export const down = sql`
    DELETE FROM calendars WHERE names <> 'full';
    ALTER TABLE calendars DROP COLUMN names;
  `
