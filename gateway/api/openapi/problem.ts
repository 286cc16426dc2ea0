// The body of an error, as the OpenAPI document describes it.
import * as yup from 'yup'
import { bookingRefusalFields } from '../../../shared/bookings/booking-refusals.ts'
import { fieldName, message } from '../../../shared/messages/message.ts'
import {
  createProblemBody,
  type Problem,
  Refusal,
  type RefusalCode,
} from '../../../shared/messages/refusal.ts'
import { REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { type Components, type JsonSchema, toJsonSchema } from './json-schema.ts'

export const EXAMPLE_REQUEST_ID = '0199d1c2-5b3e-4f7a-9c41-6f0e8a7d2b10'

export function createExampleProblem(baseUrl: string): Problem {
  const problem = message`${fieldName('to_time')} must be after ${fieldName('from_time')}.`
  const refusal = new Refusal('validation_failed', problem, { errors: { to_time: [problem] } })
  return JSON.parse(createProblemBody(refusal, { baseUrl, requestId: EXAMPLE_REQUEST_ID }))
}

/** Returns an example of each refusal. */
export function createProblemExamples(codes: RefusalCode[], baseUrl: string): JsonSchema {
  const { errors, ...common } = createExampleProblem(baseUrl)
  const entries = [...new Set(codes)].map((code) => {
    const { status, title, explanation } = REFUSALS[code]
    const detail = /^.*?\.(?= |$)/.exec(explanation.replace(/^A rule of the place: /, ''))?.[0] ?? title
    const sentence = detail.charAt(0).toUpperCase() + detail.slice(1)
    const value = {
      ...common,
      type: `${baseUrl}/api/docs/errors#${code}`,
      title,
      status,
      code,
      detail: sentence,
      message: sentence,
      ...EXTRA_PROBLEM_MEMBERS[code],
    }
    return [
      code,
      { summary: title, value: code === 'validation_failed' ? createExampleProblem(baseUrl) : value },
    ]
  })
  return Object.fromEntries(entries)
}

const EXTRA_PROBLEM_MEMBERS: Partial<Record<RefusalCode, object>> = {
  booking_conflict: {
    conflict: { bookable_id: 7, from: '2026-11-20T09:00:00.000000Z', to: '2026-11-20T17:00:00.000000Z' },
    alternatives: [{ id: 8, name: 'Desk 2' }],
  },
}

export function createProblemSchema(baseUrl: string, components: Components): JsonSchema {
  const text = { type: 'string' }
  const moment = { type: 'string', format: 'date-time' }
  const shared = toJsonSchema(yup.object(bookingRefusalFields), 'answer', components)
  const { conflict, alternatives } = shared.properties as Record<string, JsonSchema>
  return {
    type: 'object',
    examples: [createExampleProblem(baseUrl)],
    required: ['type', 'title', 'status', 'code', 'detail', 'message', 'request_id'],
    properties: {
      type: { ...text, description: 'The URL of the page that explains the code.' },
      title: text,
      status: { type: 'integer' },
      code: { type: 'string', enum: Object.keys(REFUSALS) },
      detail: text,
      message: { ...text, description: 'The same as detail.' },
      errors: {
        type: 'object',
        description: 'Messages by field name. Set only on 422.',
        additionalProperties: { type: 'array', items: text, minItems: 1 },
      },
      conflict,
      alternatives: { ...alternatives, maxItems: 3 },
      in_the_way: {
        type: 'array',
        description: 'The first affected bookings and event rooms that prevent the change of a bookable.',
        maxItems: 100,
        items: {
          type: 'object',
          required: ['type', 'id', 'bookable_id', 'from', 'to'],
          properties: {
            type: { type: 'string', enum: ['booking', 'event'] },
            id: { type: 'integer' },
            bookable_id: { type: 'integer' },
            from: moment,
            to: { ...moment, type: ['string', 'null'] },
          },
        },
      },
      index: {
        type: 'integer',
        description: 'The position of the refused booking in a request that creates several, starting at 0.',
      },
      request_id: text,
    },
  }
}
