// Lets the engine of room calendars bound its work: entries that another program keeps changing, entries of former links, and
// notifications that could not be ended.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE room_calendars
      -- Whether the entries of the former link of this room are still to be deleted. Nothing reads or applies them.
      ADD COLUMN is_clearing boolean NOT NULL DEFAULT false,
      -- Whether the calendar has not been read to the end since it was linked.
      ADD COLUMN is_new boolean NOT NULL DEFAULT true,
      -- The time zone with which the calendar was read from the beginning. Null if it is unknown.
      ADD COLUMN read_zone text,
      -- Notifications that another watch has replaced, and that could not be ended yet: id, expiresAt and retryAt of each.
      ADD COLUMN former_watches jsonb NOT NULL DEFAULT '[]';
    ALTER TABLE calendar_entries
      -- How often Berth had to restore the entry, or to decline it again, since restores_since.
      ADD COLUMN restores integer NOT NULL DEFAULT 0,
      ADD COLUMN restores_since timestamptz;
  `

export const down = sql`
    ALTER TABLE calendar_entries DROP COLUMN restores, DROP COLUMN restores_since;
    ALTER TABLE room_calendars DROP COLUMN is_clearing, DROP COLUMN is_new, DROP COLUMN read_zone, DROP COLUMN former_watches;
  `
