// Why nothing was answered, as a message, so that a page can say it in its reader's language. `error` has it in English, which is
// what the API and the release before read.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw('ALTER TABLE webhook_deliveries ADD COLUMN error_message jsonb')

export const down = (database: Knex) =>
  database.raw('ALTER TABLE webhook_deliveries DROP COLUMN error_message')
