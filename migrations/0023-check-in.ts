// Adds check-in: the period in which a claim requires check-in, set by the rules when the claim is made, and when the
// user checked in or the rest of the claim was released.
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
