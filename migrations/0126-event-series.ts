// Adds series of events. Migration 127 adds the index, and migration 130 validates the constraint.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE events
      ADD COLUMN series_id bigint,
      -- The start of the event by the repetition. Identifies the event within its series in calendars (RECURRENCE-ID).
      ADD COLUMN occurs_at timestamptz;
    ALTER TABLE events ADD CONSTRAINT events__series FOREIGN KEY (series_id) REFERENCES series NOT VALID;
  `

export const down = sql`ALTER TABLE events DROP COLUMN series_id, DROP COLUMN occurs_at`
