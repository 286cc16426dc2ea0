// The state before a change, so that webhooks and the feed can show what was deleted.
import { sql } from './steps/sql.ts'

export const up = sql`
    -- As JSON, as the API showed the resource.
    ALTER TABLE changes ADD COLUMN previous text;
    -- The token that created it, to limit the number per token.
    ALTER TABLE webhooks ADD COLUMN token_id bigint
  `

export const down = sql`
    ALTER TABLE webhooks DROP COLUMN token_id;
    ALTER TABLE changes DROP COLUMN previous
  `
