// Allows deleting a webhook immediately, however many deliveries it has. Upkeep deletes the deliveries in batches.
import { sql } from './steps/sql.ts'

export const contracts =
  'Deleting a webhook no longer deletes its deliveries. Earlier releases do not read deliveries without a webhook, and delete them after 30 days.'

export const up = sql`ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries__webhook`

export const down = sql`
    DELETE FROM webhook_deliveries WHERE webhook_id NOT IN (SELECT id FROM webhooks);
    ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries__webhook
      FOREIGN KEY (webhook_id) REFERENCES webhooks ON DELETE CASCADE
  `
