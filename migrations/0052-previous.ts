// The state before a change, so that webhooks and the feed can show what was deleted.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    -- As JSON, as the API showed the resource.
    ALTER TABLE changes ADD COLUMN previous text;
    -- The token that created it, to limit the number per token.
    ALTER TABLE webhooks ADD COLUMN token_id bigint
  `)

export const down = (database: Knex) =>
  database.raw(`
    ALTER TABLE webhooks DROP COLUMN token_id;
    ALTER TABLE changes DROP COLUMN previous
  `)
