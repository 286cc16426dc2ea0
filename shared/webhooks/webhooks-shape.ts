// A webhook and its deliveries as the API shows them, with the secret only when it has just been created.

import { flag, json, number, objectJson, text, timestamp } from '../schemas/json.ts'
import type { WebhookDelivery } from './webhook-deliveries.ts'
import type { Webhook, WebhookTest, WebhookWithSecret } from './webhooks.ts'

const members = {
  id: number('webhooks.id'),
  url: text('webhooks.url'),
  description: text('webhooks.description'),
  types: text<string[]>('webhooks.types'),
  enabled: flag('webhooks.enabled'),
  disabled_reason: text<string | null>('webhooks.disabled_reason'),
  failing_since: timestamp<string | null>('webhooks.failing_since'),
  created_at: timestamp('webhooks.created_at'),
}

export const webhookJson = objectJson<Webhook>(members)

export const webhookWithSecretJson = objectJson<WebhookWithSecret>({
  ...members,
  secret: text('webhooks.secret'),
})

/** SQL: the webhook-id of a delivery. */
export const deliveryMessage = (row: string) => `'msg_' || replace(${row}.message::text, '-', '')`

/** SQL: the id of what a delivery tells of; null for a test, and once the outbox has forgotten the change. */
export const DELIVERED_RESOURCE = `(
  SELECT resource_id FROM changes
  WHERE horizon = change_horizon AND sequence = change_sequence AND at = change_at)`

/** The body of a test delivery. */
export const webhookTestJson = (row: string) =>
  objectJson<WebhookTest>({
    type: text(`${row}.type`),
    timestamp: timestamp(`${row}.change_at`),
    sequence: number(`${row}.change_sequence`),
    id: number('webhooks.id'),
    action: text("CAST('test' AS text)"),
    actor: json("'null'"),
    request_id: json("'null'"),
    data: webhookJson,
    previous: json("'null'"),
  })

export const webhookDeliveryJson = objectJson<WebhookDelivery>({
  id: number('webhook_deliveries.id'),
  message: text(deliveryMessage('webhook_deliveries')),
  type: text('webhook_deliveries.type'),
  resource_id: number<number | null>(DELIVERED_RESOURCE),
  sequence: number('webhook_deliveries.change_sequence'),
  attempts: number('webhook_deliveries.attempts'),
  next_at: timestamp<string | null>('webhook_deliveries.next_at'),
  status: number<number | null>('webhook_deliveries.status'),
  error: text<string | null>('webhook_deliveries.error'),
  answer: text<string | null>('webhook_deliveries.answer'),
  took_ms: number<number | null>('webhook_deliveries.took_ms'),
  delivered_at: timestamp<string | null>('webhook_deliveries.delivered_at'),
  created_at: timestamp('webhook_deliveries.created_at'),
})
