// Queries for webhooks and their deliveries.
import { selectData } from '../../../shared/schemas/json.ts'
import { webhookDeliveryJson, webhookJson } from '../../../shared/webhooks/webhooks-shape.ts'
import { prepareListing } from '../../http/listing.ts'

export const allWebhooks = prepareListing({
  name: 'webhooks',
  item: webhookJson,
  rows: 'webhooks WHERE true',
  order: [{ by: 'webhooks.id', type: 'bigint' }],
})

export const webhookDeliveries = prepareListing({
  name: 'webhook-deliveries',
  item: webhookDeliveryJson,
  rows: 'webhook_deliveries WHERE webhook_deliveries.webhook_id = $1',
  order: [{ by: 'webhook_deliveries.id', type: 'bigint' }],
  parent: 'EXISTS (SELECT FROM webhooks WHERE id = $1)',
})

export const webhookById = {
  name: 'find-webhook',
  text: selectData(webhookJson, 'webhooks WHERE webhooks.id = $1'),
}

export const webhookDeliveryById = {
  name: 'find-webhook-delivery',
  text: selectData(
    webhookDeliveryJson,
    `webhook_deliveries JOIN webhooks ON webhooks.id = webhook_deliveries.webhook_id
     WHERE webhook_deliveries.id = $2 AND webhooks.id = $1`,
  ),
}
