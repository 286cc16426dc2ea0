// What a change was before it, and what webhooks need to go on in another cluster of Postgres: the outbox says which one its
// horizons are of.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    -- JSON, as the API showed the resource.
    ALTER TABLE changes ADD COLUMN previous text;
    -- Whose it is, so that each token has so many at most.
    ALTER TABLE webhooks ADD COLUMN token_id bigint;
    -- The system identifier, and since when it is another one than before.
    ALTER TABLE identity ADD COLUMN cluster text;
    ALTER TABLE identity ADD COLUMN cluster_since timestamptz
  `)

export const down = (database: Knex) =>
  database.raw(`
    ALTER TABLE identity DROP COLUMN cluster_since;
    ALTER TABLE identity DROP COLUMN cluster;
    ALTER TABLE webhooks DROP COLUMN token_id;
    ALTER TABLE changes DROP COLUMN previous
  `)
