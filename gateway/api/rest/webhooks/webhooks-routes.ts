// The API endpoints for webhooks and their deliveries.
import { message } from '../../../../shared/messages/message.ts'
import { selectDataBodySql } from '../../../../shared/schemas/json.ts'
import { requirePublicUrl } from '../../../../shared/webhooks/webhook-urls.ts'
import {
  failedDeliveriesSchema,
  newWebhookSchema,
  webhookChangesSchema,
  webhookDeliveryJson,
  webhookDeliverySchema,
  webhookJson,
  webhookSchema,
} from '../../../../shared/webhooks/webhooks.ts'
import {
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'

const missing = message`There is no webhook with this id.`
const missingDelivery = message`There is no delivery with this id.`

export const webhookEndpoints = declareResourceEndpoints({
  tag: 'Webhooks',
  ability: 'webhook-write',
  missing,
})({
  listWebhooks: declareListEndpoint('/webhooks', {
    summary: 'List all webhooks',
    item: webhookSchema,
    listing: {
      name: 'webhooks',
      item: webhookJson,
      rows: 'webhooks WHERE true',
      order: { 'webhooks.id': 'bigint' },
    },
  }),
  createWebhook: declareWriteEndpoint('POST /webhooks', {
    alsoNeeds: 'read',
    summary: 'Create a webhook',
    description:
      'The webhook receives changes from now on. The secret that signs deliveries is returned only once.',
    body: newWebhookSchema,
    refusals: ['too_many_webhooks'],
    job: 'webhooks.create',
    input: ({ body, services }) => requirePublicUrl(body, services.config),
  }),
  getWebhook: declareReadEndpoint('/webhooks/{id}', {
    summary: 'Get a webhook',
    answer: webhookSchema,
    statement: {
      name: 'find-webhook',
      text: selectDataBodySql(webhookJson, 'webhooks WHERE webhooks.id = $1'),
    },
  }),
  updateWebhook: declareWriteEndpoint('PATCH /webhooks/{id}', {
    alsoNeeds: 'read',
    summary: 'Change, enable or disable a webhook',
    body: webhookChangesSchema,
    job: 'webhooks.update',
    input: ({ body, params, services }) => ({ ...requirePublicUrl(body, services.config), id: params.id }),
  }),
  deleteWebhook: declareWriteEndpoint('DELETE /webhooks/{id}', {
    summary: 'Delete a webhook and its deliveries',
    job: 'webhooks.delete',
  }),
  rotateWebhookSecret: declareWriteEndpoint('POST /webhooks/{id}/rotate-secret', {
    summary: 'Rotate the secret of a webhook',
    description: 'For 24 hours, deliveries are signed with both the new and the previous secret.',
    job: 'webhooks.rotate-secret',
  }),
  listWebhookDeliveries: declareListEndpoint('/webhooks/{id}/deliveries', {
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
  getWebhookDelivery: declareReadEndpoint('/webhooks/{id}/deliveries/{delivery_id}', {
    alsoNeeds: 'read',
    summary: 'Get a delivery of a webhook',
    answer: webhookDeliverySchema,
    missing: missingDelivery,
    statement: {
      name: 'find-webhook-delivery',
      text: selectDataBodySql(
        webhookDeliveryJson,
        `webhook_deliveries JOIN webhooks ON webhooks.id = webhook_deliveries.webhook_id
     WHERE webhook_deliveries.id = $2 AND webhooks.id = $1`,
      ),
    },
  }),
  sendWebhookDeliveryAgain: declareWriteEndpoint('POST /webhooks/{id}/deliveries/{delivery_id}/send-again', {
    summary: 'Resend a delivery',
    description: 'Sends the delivery immediately, with the full number of attempts and the same webhook-id.',
    refusals: ['webhook_disabled'],
    missing: missingDelivery,
    job: 'webhook-deliveries.send-again',
    input: ({ params }) => ({ webhook_id: params.id, id: params.delivery_id }),
  }),
  sendFailedWebhookDeliveries: declareWriteEndpoint('POST /webhooks/{id}/send-failed', {
    summary: 'Resend failed deliveries',
    description:
      'Resends undelivered changes from the given time on that were attempted at least once, including those with a retry scheduled.',
    body: failedDeliveriesSchema,
    refusals: ['webhook_disabled'],
    job: 'webhook-deliveries.send-failed',
    input: ({ params, body }) => ({ webhook_id: params.id, since: body.since }),
  }),
  testWebhook: declareWriteEndpoint('POST /webhooks/{id}/test', {
    summary: 'Send a test event to a webhook',
    description: 'The event has type webhook.test and contains the webhook. It is attempted only once.',
    refusals: ['webhook_disabled'],
    job: 'webhook-deliveries.test',
    input: ({ params }) => ({ webhook_id: params.id }),
  }),
})
