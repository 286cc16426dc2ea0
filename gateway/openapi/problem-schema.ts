// The OpenAPI schema that all failures share.
import { REFUSALS } from '../../shared/messages/refusal-kinds.ts'
import type { JsonSchema } from './json-schema.ts'

export function problemSchema(): JsonSchema {
  const text = { type: 'string' }
  return {
    type: 'object',
    required: ['type', 'title', 'status', 'code', 'detail', 'message', 'request_id'],
    properties: {
      type: { ...text, description: 'URL of the page that explains the code.' },
      title: text,
      status: { type: 'integer' },
      code: { type: 'string', enum: Object.keys(REFUSALS) },
      detail: text,
      message: { ...text, description: 'The same as detail.' },
      errors: {
        type: 'object',
        description: 'Field names to messages; on 422 only.',
        additionalProperties: { type: 'array', items: text, minItems: 1 },
      },
      conflict: {
        type: 'object',
        description: 'The earliest booking or event in the way.',
        required: ['bookable_id', 'from', 'to'],
        properties: { bookable_id: { type: 'integer' }, from: text, to: { type: ['string', 'null'] } },
      },
      alternatives: {
        type: 'array',
        description: 'Free bookables of the same type in the same location.',
        maxItems: 3,
        items: {
          type: 'object',
          required: ['id', 'name'],
          properties: { id: { type: 'integer' }, name: text },
        },
      },
      index: {
        type: 'integer',
        description: 'Of several bookings that are made together, which one is refused; the first is 0.',
      },
      request_id: text,
    },
  }
}
