// Stores the lost rooms that a mail reports to an organizer, as pairs of an event and a bookable.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE mails ADD COLUMN lost_rooms jsonb`

export const down = sql`ALTER TABLE mails DROP COLUMN lost_rooms`
