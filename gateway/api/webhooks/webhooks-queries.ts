// Queries for webhooks and their deliveries.
import { dataText } from '../../../shared/schemas/json.ts'
import { webhookDeliveryJson, webhookJson } from '../../../shared/webhooks/webhooks-shape.ts'
import { prepareListing } from '../../http/listing.ts'
import { type Database, findText } from '../../http/statement.ts'

export const allWebhooks = prepareListing({
  name: 'webhooks',
  item: webhookJson,
  rows: 'webhooks WHERE true',
  order: [{ by: 'webhooks.id', type: 'bigint' }],
  values: 0,
})

export const webhookDeliveries = prepareListing({
  name: 'webhook-deliveries',
  item: webhookDeliveryJson,
  rows: 'webhook_deliveries WHERE webhook_deliveries.webhook_id = $1',
  order: [{ by: 'webhook_deliveries.id', type: 'bigint' }],
  parent: { exists: 'EXISTS (SELECT FROM webhooks WHERE id = $1)', values: 1 },
  values: 1,
})

const byId = {
  name: 'find-webhook',
  text: `SELECT ${dataText(webhookJson)} AS body FROM webhooks WHERE webhooks.id = $1`,
}

export function findWebhook(database: Database, id: number): Promise<string | undefined> {
  return findText(database, byId, [id])
}

const deliveryById = {
  name: 'find-webhook-delivery',
  text: `SELECT ${dataText(webhookDeliveryJson)} AS body
    FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_deliveries.webhook_id
    WHERE webhook_deliveries.id = $2 AND webhooks.id = $1`,
}

export function findWebhookDelivery(
  database: Database,
  webhookId: number,
  id: number,
): Promise<string | undefined> {
  return findText(database, deliveryById, [webhookId, id])
}
