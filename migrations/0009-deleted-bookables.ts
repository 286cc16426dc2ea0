// A bookable that was booked before stays when it is deleted, because its past bookings tell of it; everything that
// lists, shows or books leaves it out. Taken back, it is blocked instead.
import type { Knex } from 'knex'

export const up = (database: Knex) => database.raw('ALTER TABLE bookables ADD COLUMN deleted_at timestamptz')

export const down = (database: Knex) =>
  database.raw(`
    UPDATE bookables SET status = 1 WHERE deleted_at IS NOT NULL;
    ALTER TABLE bookables DROP COLUMN deleted_at;
  `)
