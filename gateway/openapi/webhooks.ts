// What Berth sends to webhooks, as the OpenAPI document describes it.
import { webhookMessageSchema } from '../../shared/webhooks/changes.ts'
import { type Components, type JsonSchema, toJsonSchema } from './json-schema.ts'

const DESCRIPTION =
  'Signed as Standard Webhooks says, by webhook-id, webhook-timestamp and webhook-signature. Each delivery comes at least once: ' +
  'one with a webhook-id that came before is a repeat.'

export function describeWebhooks(components: Components): JsonSchema {
  const schema = toJsonSchema(webhookMessageSchema, 'answer', components)
  return {
    change: {
      post: {
        operationId: 'receiveChange',
        summary: 'Be told of a change',
        security: [],
        description: DESCRIPTION,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { '2XX': { description: 'Received. Anything else is sent again.' } },
      },
    },
  }
}
