// Check-in: from when and until when a claim asks for it, both as the rules said when it was made; when somebody did, or when
// the rest of its time was released because nobody did.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    ALTER TABLE bookings
      ADD COLUMN check_in_from timestamptz,
      ADD COLUMN check_in_until timestamptz,
      ADD COLUMN checked_in_at timestamptz,
      ADD COLUMN released_at timestamptz
  `)

export const down = (database: Knex) =>
  database.raw(`
    ALTER TABLE bookings
      DROP COLUMN check_in_from,
      DROP COLUMN check_in_until,
      DROP COLUMN checked_in_at,
      DROP COLUMN released_at
  `)
