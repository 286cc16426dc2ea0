// Keeps deleted bookables that have past bookings, because the bookings refer to them, and hides these bookables
// everywhere else. Reverting this migration blocks them instead.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE bookables ADD COLUMN deleted_at timestamptz`

export const down = sql`
    UPDATE bookables SET status = 1 WHERE deleted_at IS NOT NULL;
    ALTER TABLE bookables DROP COLUMN deleted_at;
  `
