// A bookable with past bookings stays when it is deleted, because they refer to it, and is hidden everywhere
// else. Reverting this migration blocks it instead.
import type { Knex } from 'knex'

export const up = (database: Knex) => database.raw('ALTER TABLE bookables ADD COLUMN deleted_at timestamptz')

export const down = (database: Knex) =>
  database.raw(`
    UPDATE bookables SET status = 1 WHERE deleted_at IS NOT NULL;
    ALTER TABLE bookables DROP COLUMN deleted_at;
  `)
