// Stores why a delivery got no response, as a message that a page can translate. `error` has the reason in English, for
// the API and the previous release.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE webhook_deliveries ADD COLUMN error_message jsonb`

export const down = sql`ALTER TABLE webhook_deliveries DROP COLUMN error_message`
