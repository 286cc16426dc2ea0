// Check-in: the window in which a claim requires it, as set by the rules when it was made; when it was done,
// or when the rest of the claim was released because it was not.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE bookings
      ADD COLUMN check_in_from timestamptz,
      ADD COLUMN check_in_until timestamptz,
      ADD COLUMN checked_in_at timestamptz,
      ADD COLUMN released_at timestamptz
  `

export const down = sql`
    ALTER TABLE bookings
      DROP COLUMN check_in_from,
      DROP COLUMN check_in_until,
      DROP COLUMN checked_in_at,
      DROP COLUMN released_at
  `
