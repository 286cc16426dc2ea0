// Rules: what a building, a location or a bookable holds its bookings to. As JSON, because they are read whole, beside the
// rest of the row, and most places have none.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    ALTER TABLE buildings ADD COLUMN rules json;
    ALTER TABLE locations ADD COLUMN rules json;
    ALTER TABLE bookables ADD COLUMN rules json;
  `)

export const down = (database: Knex) =>
  database.raw(`
    ALTER TABLE bookables DROP COLUMN rules;
    ALTER TABLE locations DROP COLUMN rules;
    ALTER TABLE buildings DROP COLUMN rules;
  `)
