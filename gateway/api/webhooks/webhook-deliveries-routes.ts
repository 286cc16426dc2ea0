// Deliveries of webhooks over HTTP: their results, and sending them again.

import { message } from '../../../shared/messages/message.ts'
import { dataAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { failedDeliveriesSchema, webhookDeliverySchema } from '../../../shared/webhooks/webhook-deliveries.ts'
import { read, write } from '../../http/kit/endpoint.ts'
import { list } from '../../http/listing-endpoint.ts'
import { webhookDeliveries as allDeliveries, findWebhookDelivery } from './webhooks-queries.ts'

const common = { ability: 'webhook-write', tag: 'Webhooks' } as const
const ofWebhook = {
  ...common,
  params: object({ id: pathId() }),
  missing: message`There is no webhook with this id.`,
}
const ofDelivery = {
  ...common,
  params: object({ id: pathId(), delivery_id: pathId() }),
  missing: message`There is no delivery with this id.`,
}

export const webhookDeliveries = [
  list({
    ...ofWebhook,
    alsoNeeds: 'read',
    path: '/webhooks/{id}/deliveries',
    name: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Deliveries of the last 30 days, oldest first.',
    item: webhookDeliverySchema,
    source: (call) => ({ listing: allDeliveries, values: [call.params.id] }),
  }),
  read({
    ...ofDelivery,
    alsoNeeds: 'read',
    path: '/webhooks/{id}/deliveries/{delivery_id}',
    name: 'getWebhookDelivery',
    summary: 'Get a delivery of a webhook',
    answer: dataAnswer(webhookDeliverySchema),
    find: ({ params }, { pointReads }) => findWebhookDelivery(pointReads, params.id, params.delivery_id),
  }),
  write({
    ...ofDelivery,
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{delivery_id}/send-again',
    name: 'sendWebhookDeliveryAgain',
    summary: 'Send a delivery again',
    description: 'At once, with all of its attempts, under the same webhook-id.',
    refusals: ['webhook_disabled'],
    job: 'webhook-deliveries.send-again',
    input: ({ params }) => ({ webhook_id: params.id, id: params.delivery_id }),
  }),
  write({
    ...ofWebhook,
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
    ...ofWebhook,
    method: 'POST',
    path: '/webhooks/{id}/test',
    name: 'testWebhook',
    summary: 'Send a test to a webhook',
    description: 'Its type is webhook.test, its data the webhook. It is tried once.',
    refusals: ['webhook_disabled'],
    job: 'webhook-deliveries.test',
    input: ({ params }) => ({ webhook_id: params.id }),
  }),
]
