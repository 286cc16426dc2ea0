// The responses of an operation and the headers of its requests, as the OpenAPI document describes them.
import { acceptedJobSchema } from '../../shared/jobs/accepted-jobs.ts'
import { field, message } from '../../shared/messages/message.ts'
import {
  type Problem,
  problemBody,
  Refusal,
  type RefusalCode,
  retryAfter,
} from '../../shared/messages/refusal.ts'
import { REFUSALS } from '../../shared/messages/refusal-kinds.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { hasField } from '../http/middleware/validate.ts'
import { type Components, type JsonSchema, toJsonSchema } from './json-schema.ts'

export const EXAMPLE_ID = '0199d1c2-5b3e-4f7a-9c41-6f0e8a7d2b10'

export type Content = Record<string, { schema: JsonSchema; example?: unknown }>
export type Response = { description: string; headers?: JsonSchema; content?: Content }
export type Parameter = {
  name: string
  in: string
  required: boolean
  description?: string
  schema: JsonSchema
}

// What any request may get: also if it is not valid HTTP, names no host, has an address that is too long, or
// asks for strict handling.
const COMMON_REFUSALS: RefusalCode[] = [
  'malformed_body',
  'too_large',
  'url_too_long',
  'headers_too_large',
  'unauthenticated',
  'invalid_token',
  'address_not_allowed',
  'rate_limited',
  'internal_error',
  'unavailable',
  'validation_failed',
]
const TOKEN_REFUSALS: RefusalCode[] = ['unauthenticated', 'invalid_token', 'address_not_allowed']
const WRITE_REFUSALS: RefusalCode[] = [
  // Also for a repeat of a write that named a user who has been erased since.
  'not_found',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'not_executed',
  'outcome_unknown',
]

const header = (description: string, schema: JsonSchema = { type: 'string' }) => ({ description, schema })
const uri = { type: 'string', format: 'uri' }
const seconds = { type: 'integer', minimum: 0 }

const REQUEST_ID = { 'X-Request-Id': header('Id of the request, as in the logs and the audit log.') }
const RATE_LIMIT = {
  'RateLimit-Policy': header('The token’s limit (q), and its window in seconds (w).'),
  RateLimit: header('Requests left in this window (r), and seconds until it ends (t).'),
}
const REPLAYED = {
  'Idempotency-Replayed': header('“true” where this is the first answer to the Idempotency-Key, once more.'),
}
const APPLIED = { 'Preference-Applied': header('The preferences that were applied.') }
const ETAG = { ETag: header('Changes whenever the answer does; absent where that is longer than 1 MiB.') }
const ETAG_AFTER = {
  ETag: header('What GET of the resource has from now on, for If-Match of the next change.'),
}
const LINK = {
  Link: header('With a limit, while there are more items: <URL of the next page>; rel="next".'),
}

const NOT_MODIFIED: Response = {
  description: 'Not modified since the answer with this ETag (If-None-Match).',
  headers: { ...REQUEST_ID, ...RATE_LIMIT, ...ETAG },
}

const REDIRECTED: Response = {
  description: 'To the map of the dashboard: a browser (Accept: text/html) without a token.',
  headers: { ...REQUEST_ID, Location: header('URL of a page.', uri) },
}

export function successesOf(endpoint: Endpoint, components: Components): Record<string, Response> {
  const { status, schema, contentTypes = ['application/json'] } = endpoint.answer
  const described = schema && toJsonSchema(schema, 'answer', components)
  const types = contentTypes.map((type) => type.split(';')[0] ?? type)
  const content = described && Object.fromEntries(types.map((type) => [type, { schema: described }]))
  return {
    [status]: {
      description: schema ? 'Success.' : 'Success. The body is empty.',
      headers: {
        ...REQUEST_ID,
        ...RATE_LIMIT,
        ...APPLIED,
        ...(endpoint.hasETag && ETAG),
        ...(endpoint.hasETagAfter && ETAG_AFTER),
        ...(hasField(endpoint.query, 'limit') && LINK),
        ...(endpoint.method !== 'GET' && REPLAYED),
        ...(endpoint.sendsFile && {
          'Content-Disposition': header('attachment, with the name of the file.'),
        }),
      },
      ...(content && { content }),
    },
    ...(endpoint.isLong && { 202: accepted(components) }),
    ...(endpoint.redirectsBrowsers && { 302: REDIRECTED }),
    ...(endpoint.hasETag && { 304: NOT_MODIFIED }),
  }
}

function accepted(components: Components): Response {
  return {
    description: 'Accepted, with “Prefer: respond-async”: the job.',
    headers: {
      ...REQUEST_ID,
      ...RATE_LIMIT,
      ...REPLAYED,
      Location: header('URL of the job: jobs/{id}.', uri),
      ...APPLIED,
      'Retry-After': header('Seconds after which to look at the job.', seconds),
    },
    content: { 'application/json': { schema: toJsonSchema(acceptedJobSchema, 'answer', components) } },
  }
}

export function failuresOf(endpoint: Endpoint): Record<string, Response> {
  const { isOpen, ability, method, body, params, takesIfMatch } = endpoint
  const codes = new Set<RefusalCode>([
    ...COMMON_REFUSALS.filter((code) => !isOpen || !TOKEN_REFUSALS.includes(code)),
    ...(ability ? (['missing_ability'] as const) : []),
    ...(method === 'GET' ? [] : WRITE_REFUSALS),
    ...(body ? (['unsupported_media_type'] as const) : []),
    ...('fields' in params && Object.keys(Object(params.fields)).length > 0 ? (['not_found'] as const) : []),
    ...(takesIfMatch ? (['precondition_failed'] as const) : []),
    ...endpoint.refusals,
  ])
  const statuses = new Set([...codes].map((code) => REFUSALS[code].status))
  return Object.fromEntries([...statuses].map((status) => [status, failure(status, [...codes], endpoint)]))
}

function failure(status: number, all: RefusalCode[], { method }: Endpoint): Response {
  const codes = all.filter((code) => REFUSALS[code].status === status)
  const content = { schema: { $ref: '#/components/schemas/Problem' } }
  const isRetried = codes.some((code) => 'Retry-After' in retryAfter(code))
  return {
    description: codes.map((code) => `\`${code}\`: ${REFUSALS[code].title}.`).join(' '),
    headers: {
      ...REQUEST_ID,
      // The others come before the token is known.
      ...(![400, 401, 414, 431].includes(status) && RATE_LIMIT),
      ...(status === 422 && APPLIED),
      ...(status === 401 && { 'WWW-Authenticate': header('Bearer, and why the token was rejected.') }),
      ...(isRetried && { 'Retry-After': header('Seconds after which to try again.', seconds) }),
      ...(method !== 'GET' && [404, 409, 412, 422].includes(status) && REPLAYED),
    },
    content: { 'application/json': content, 'application/problem+json': content },
  }
}

const STRICT = '“handling=strict” refuses every parameter and field that the operation does not know.'

export function headerParameters({ method, isLong, hasETag, takesIfMatch }: Endpoint): Parameter[] {
  const optional = (name: string, description: string, schema: JsonSchema = {}): Parameter => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...schema },
  })
  const key = optional(
    'Idempotency-Key',
    'Makes retries safe: for 24 hours, the same request with the same key gets the first answer again.',
    { minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  )
  const job = `“respond-async” answers 202 at once, with the job that does the work. ${STRICT}`
  const ifMatch =
    'ETags of the resource as its GET answered: 412 where it has none of them any more. Without it, the write is unconditional.'
  return [
    ...(method === 'GET' && !isLong ? [] : [key]),
    isLong
      ? optional('Prefer', job, { examples: ['respond-async'] })
      : optional('Prefer', STRICT, { examples: ['handling=strict'] }),
    ...(hasETag
      ? [optional('If-None-Match', 'An ETag of before: 304 where the answer is still that one.')]
      : []),
    ...(takesIfMatch ? [optional('If-Match', ifMatch)] : []),
  ]
}

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
