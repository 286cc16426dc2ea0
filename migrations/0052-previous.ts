// Stores the state of a resource before a change, so that webhooks and the change feed can show what was deleted.
import { sql } from './steps/sql.ts'

export const up = sql`
    -- The resource as JSON, as the API showed it.
    ALTER TABLE changes ADD COLUMN previous text;
    -- The token that created the webhook, to limit the number of webhooks per token.
    ALTER TABLE webhooks ADD COLUMN token_id bigint
  `

export const down = sql`
    ALTER TABLE webhooks DROP COLUMN token_id;
    ALTER TABLE changes DROP COLUMN previous
  `
