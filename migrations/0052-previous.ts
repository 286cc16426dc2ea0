// What a change was before it: webhooks and the feed say what was deleted.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    -- JSON, as the API showed the resource.
    ALTER TABLE changes ADD COLUMN previous text;
    -- Whose it is, so that each token has so many at most.
    ALTER TABLE webhooks ADD COLUMN token_id bigint
  `)

export const down = (database: Knex) =>
  database.raw(`
    ALTER TABLE webhooks DROP COLUMN token_id;
    ALTER TABLE changes DROP COLUMN previous
  `)
