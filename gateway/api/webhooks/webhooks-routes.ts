// Webhooks over HTTP.

import { message } from '../../../shared/messages/message.ts'
import { dataAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { requireReachable } from '../../../shared/webhooks/webhook-urls.ts'
import { newWebhookSchema, webhookChangesSchema, webhookSchema } from '../../../shared/webhooks/webhooks.ts'
import { read, write } from '../../http/kit/endpoint.ts'
import { list } from '../../http/listing-endpoint.ts'
import { allWebhooks, findWebhook } from './webhooks-queries.ts'

const common = {
  ability: 'webhook-write',
  tag: 'Webhooks',
  missing: message`There is no webhook with this id.`,
} as const
const params = object({ id: pathId() })

export const webhooks = [
  list({
    ...common,
    path: '/webhooks',
    name: 'listWebhooks',
    summary: 'List all webhooks',
    item: webhookSchema,
    source: () => ({ listing: allWebhooks, values: [] }),
  }),
  write({
    ...common,
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
    ...common,
    path: '/webhooks/{id}',
    name: 'getWebhook',
    summary: 'Get a webhook',
    params,
    answer: dataAnswer(webhookSchema),
    find: (call, { pointReads }) => findWebhook(pointReads, call.params.id),
  }),
  write({
    ...common,
    alsoNeeds: 'read',
    method: 'PATCH',
    path: '/webhooks/{id}',
    name: 'updateWebhook',
    summary: 'Change a webhook, switch it on or off',
    params,
    body: webhookChangesSchema,
    job: 'webhooks.update',
    input: ({ body, params: { id }, services }) => ({ ...requireReachable(body, services.config), id }),
  }),
  write({
    ...common,
    method: 'DELETE',
    path: '/webhooks/{id}',
    name: 'deleteWebhook',
    summary: 'Delete a webhook, with its deliveries',
    params,
    job: 'webhooks.delete',
    input: (call) => ({ id: call.params.id }),
  }),
  write({
    ...common,
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    name: 'rotateWebhookSecret',
    summary: 'Give a webhook a new secret',
    description: 'The previous secret also signs deliveries for 24 hours.',
    params,
    job: 'webhooks.rotate-secret',
    input: (call) => ({ id: call.params.id }),
  }),
]
