// Webhooks and their deliveries over HTTP.
import { message } from '../../../../shared/messages/message.ts'
import { selectData } from '../../../../shared/schemas/json.ts'
import { requireReachable } from '../../../../shared/webhooks/webhook-urls.ts'
import {
  failedDeliveriesSchema,
  newWebhookSchema,
  webhookChangesSchema,
  webhookDeliveryJson,
  webhookDeliverySchema,
  webhookJson,
  webhookSchema,
} from '../../../../shared/webhooks/webhooks.ts'
import { list, read, resource, write } from '../../../server/http/endpoint.ts'

const missing = message`There is no webhook with this id.`
const missingDelivery = message`There is no delivery with this id.`

export const webhooks = resource({ tag: 'Webhooks', ability: 'webhook-write', missing })({
  listWebhooks: list('/webhooks', {
    summary: 'List all webhooks',
    item: webhookSchema,
    listing: {
      name: 'webhooks',
      item: webhookJson,
      rows: 'webhooks WHERE true',
      order: { 'webhooks.id': 'bigint' },
    },
  }),
  createWebhook: write('POST /webhooks', {
    alsoNeeds: 'read',
    summary: 'Create a webhook',
    description: 'It receives changes from now on. The secret that signs deliveries is shown only once.',
    body: newWebhookSchema,
    refusals: ['too_many_webhooks'],
    job: 'webhooks.create',
    input: ({ body, services }) => requireReachable(body, services.config),
  }),
  getWebhook: read('/webhooks/{id}', {
    summary: 'Get a webhook',
    answer: webhookSchema,
    statement: {
      name: 'find-webhook',
      text: selectData(webhookJson, 'webhooks WHERE webhooks.id = $1'),
    },
  }),
  updateWebhook: write('PATCH /webhooks/{id}', {
    alsoNeeds: 'read',
    summary: 'Change a webhook, switch it on or off',
    body: webhookChangesSchema,
    job: 'webhooks.update',
    input: ({ body, params, services }) => ({ ...requireReachable(body, services.config), id: params.id }),
  }),
  deleteWebhook: write('DELETE /webhooks/{id}', {
    summary: 'Delete a webhook, with its deliveries',
    job: 'webhooks.delete',
  }),
  rotateWebhookSecret: write('POST /webhooks/{id}/rotate-secret', {
    summary: 'Give a webhook a new secret',
    description: 'The previous secret also signs deliveries for 24 hours.',
    job: 'webhooks.rotate-secret',
  }),
  listWebhookDeliveries: list('/webhooks/{id}/deliveries', {
    alsoNeeds: 'read',
    summary: 'List the deliveries of a webhook',
    description: 'Deliveries of the last 30 days, oldest first.',
    item: webhookDeliverySchema,
    listing: {
      name: 'webhook-deliveries',
      item: webhookDeliveryJson,
      rows: 'webhook_deliveries WHERE webhook_deliveries.webhook_id = $1',
      order: { 'webhook_deliveries.id': 'bigint' },
      parent: 'EXISTS (SELECT FROM webhooks WHERE id = $1)',
    },
  }),
  getWebhookDelivery: read('/webhooks/{id}/deliveries/{delivery_id}', {
    alsoNeeds: 'read',
    summary: 'Get a delivery of a webhook',
    answer: webhookDeliverySchema,
    missing: missingDelivery,
    statement: {
      name: 'find-webhook-delivery',
      text: selectData(
        webhookDeliveryJson,
        `webhook_deliveries JOIN webhooks ON webhooks.id = webhook_deliveries.webhook_id
     WHERE webhook_deliveries.id = $2 AND webhooks.id = $1`,
      ),
    },
  }),
  sendWebhookDeliveryAgain: write('POST /webhooks/{id}/deliveries/{delivery_id}/send-again', {
    summary: 'Send a delivery again',
    description: 'At once, with all of its attempts, under the same webhook-id.',
    refusals: ['webhook_disabled'],
    missing: missingDelivery,
    job: 'webhook-deliveries.send-again',
    input: ({ params }) => ({ webhook_id: params.id, id: params.delivery_id }),
  }),
  sendFailedWebhookDeliveries: write('POST /webhooks/{id}/send-failed', {
    summary: 'Resend all deliveries that failed since a given time',
    description:
      'Those of changes from that moment on which were tried and not delivered, also where another attempt is to come.',
    body: failedDeliveriesSchema,
    refusals: ['webhook_disabled'],
    job: 'webhook-deliveries.send-failed',
    input: ({ params, body }) => ({ webhook_id: params.id, since: body.since }),
  }),
  testWebhook: write('POST /webhooks/{id}/test', {
    summary: 'Send a test to a webhook',
    description: 'Its type is webhook.test, its data the webhook. It is tried once.',
    refusals: ['webhook_disabled'],
    job: 'webhook-deliveries.test',
    input: ({ params }) => ({ webhook_id: params.id }),
  }),
})
