// The buildings that a token is limited to, and what is told of whom for that: a webhook that such a token has made keeps them,
// and a change says in which buildings it was and is. Null is everywhere. They are ids and no references: a token whose buildings
// are all deleted finds nothing, and is never one without a limit.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    ALTER TABLE tokens ADD COLUMN building_ids bigint[];
    ALTER TABLE tokens ADD CONSTRAINT tokens__building_ids_number
      CHECK (cardinality(building_ids) BETWEEN 1 AND 100) NOT VALID;
    ALTER TABLE webhooks ADD COLUMN building_ids bigint[];
    ALTER TABLE changes ADD COLUMN building_ids bigint[]
  `)

export const down = (database: Knex) =>
  database.raw(`
    ALTER TABLE changes DROP COLUMN building_ids;
    ALTER TABLE webhooks DROP COLUMN building_ids;
    ALTER TABLE tokens DROP COLUMN building_ids
  `)
