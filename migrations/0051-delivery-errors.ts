// The reason why there was no answer, as a message that a page can translate. `error` has it in English, for
// the API and the previous release.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE webhook_deliveries ADD COLUMN error_message jsonb`

export const down = sql`ALTER TABLE webhook_deliveries DROP COLUMN error_message`
