// A bookable with past bookings stays when it is deleted, because they refer to it, and is hidden everywhere
// else. Reverting this migration blocks it instead.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE bookables ADD COLUMN deleted_at timestamptz`

export const down = sql`
    UPDATE bookables SET status = 1 WHERE deleted_at IS NOT NULL;
    ALTER TABLE bookables DROP COLUMN deleted_at;
  `
