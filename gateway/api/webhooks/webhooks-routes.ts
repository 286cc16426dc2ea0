// Webhooks and their deliveries over HTTP.

import { message } from '../../../shared/messages/message.ts'
import { failedDeliveriesSchema, webhookDeliverySchema } from '../../../shared/webhooks/webhook-deliveries.ts'
import { requireReachable } from '../../../shared/webhooks/webhook-urls.ts'
import { newWebhookSchema, webhookChangesSchema, webhookSchema } from '../../../shared/webhooks/webhooks.ts'
import { list, read, resource, write } from '../../http/endpoint.ts'
import { allWebhooks, webhookById, webhookDeliveries, webhookDeliveryById } from './webhooks-queries.ts'

const missing = message`There is no webhook with this id.`
const missingDelivery = message`There is no delivery with this id.`

export const webhooks = resource({ tag: 'Webhooks', ability: 'webhook-write', missing }, [
  list({
    path: '/webhooks',
    name: 'listWebhooks',
    summary: 'List all webhooks',
    item: webhookSchema,
    listing: allWebhooks,
  }),
  write({
    alsoNeeds: 'read',
    method: 'POST',
    path: '/webhooks',
    name: 'createWebhook',
    summary: 'Create a webhook',
    description: 'It receives changes from now on. The secret that signs deliveries is shown only once.',
    body: newWebhookSchema,
    refusals: ['too_many_webhooks'],
    job: 'webhooks.create',
    input: ({ body, services }) => requireReachable(body, services.config),
  }),
  read({
    path: '/webhooks/{id}',
    name: 'getWebhook',
    summary: 'Get a webhook',
    answer: webhookSchema,
    statement: webhookById,
  }),
  write({
    alsoNeeds: 'read',
    method: 'PATCH',
    path: '/webhooks/{id}',
    name: 'updateWebhook',
    summary: 'Change a webhook, switch it on or off',
    body: webhookChangesSchema,
    job: 'webhooks.update',
    input: ({ body, params, services }) => ({ ...requireReachable(body, services.config), id: params.id }),
  }),
  write({
    method: 'DELETE',
    path: '/webhooks/{id}',
    name: 'deleteWebhook',
    summary: 'Delete a webhook, with its deliveries',
    job: 'webhooks.delete',
    input: ({ params }) => ({ id: params.id }),
  }),
  write({
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    name: 'rotateWebhookSecret',
    summary: 'Give a webhook a new secret',
    description: 'The previous secret also signs deliveries for 24 hours.',
    job: 'webhooks.rotate-secret',
    input: ({ params }) => ({ id: params.id }),
  }),
  list({
    alsoNeeds: 'read',
    path: '/webhooks/{id}/deliveries',
    name: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Deliveries of the last 30 days, oldest first.',
    item: webhookDeliverySchema,
    listing: webhookDeliveries,
  }),
  read({
    alsoNeeds: 'read',
    path: '/webhooks/{id}/deliveries/{delivery_id}',
    name: 'getWebhookDelivery',
    summary: 'Get a delivery of a webhook',
    answer: webhookDeliverySchema,
    missing: missingDelivery,
    statement: webhookDeliveryById,
  }),
  write({
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{delivery_id}/send-again',
    name: 'sendWebhookDeliveryAgain',
    summary: 'Send a delivery again',
    description: 'At once, with all of its attempts, under the same webhook-id.',
    refusals: ['webhook_disabled'],
    missing: missingDelivery,
    job: 'webhook-deliveries.send-again',
    input: ({ params }) => ({ webhook_id: params.id, id: params.delivery_id }),
  }),
  write({
    method: 'POST',
    path: '/webhooks/{id}/send-failed',
    name: 'sendFailedWebhookDeliveries',
    summary: 'Resend all deliveries that failed since a given time',
    description:
      'Those of changes from that moment on which were tried and not delivered, also where another attempt is to come.',
    body: failedDeliveriesSchema,
    refusals: ['webhook_disabled'],
    job: 'webhook-deliveries.send-failed',
    input: ({ params, body }) => ({ webhook_id: params.id, since: body.since }),
  }),
  write({
    method: 'POST',
    path: '/webhooks/{id}/test',
    name: 'testWebhook',
    summary: 'Send a test to a webhook',
    description: 'Its type is webhook.test, its data the webhook. It is tried once.',
    refusals: ['webhook_disabled'],
    job: 'webhook-deliveries.test',
    input: ({ params }) => ({ webhook_id: params.id }),
  }),
])
