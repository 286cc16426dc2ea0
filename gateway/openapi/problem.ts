// The body of a failure, as the OpenAPI document describes it.
import { field, message } from '../../shared/messages/message.ts'
import { type Problem, problemBody, Refusal } from '../../shared/messages/refusal.ts'
import { REFUSALS } from '../../shared/messages/refusal-kinds.ts'
import type { JsonSchema } from './json-schema.ts'

export const EXAMPLE_ID = '0199d1c2-5b3e-4f7a-9c41-6f0e8a7d2b10'

export function exampleProblem(baseUrl: string): Problem {
  const problem = message`${field('to_time')} must be after ${field('from_time')}.`
  const refusal = new Refusal('validation_failed', problem, { errors: { to_time: [problem] } })
  return JSON.parse(problemBody(refusal, { baseUrl, requestId: EXAMPLE_ID }))
}

export function problemSchema(baseUrl: string): JsonSchema {
  const text = { type: 'string' }
  return {
    type: 'object',
    examples: [exampleProblem(baseUrl)],
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
