// The headers of requests and answers, as the OpenAPI document describes them.
import type { RefusalCode } from '../../shared/messages/refusal.ts'
import { REFUSALS, type RefusalKind } from '../../shared/messages/refusal-kinds.ts'
import type { Endpoint } from '../http/kit/endpoint.ts'
import type { JsonSchema } from './json-schema.ts'

export type Parameter = {
  name: string
  in: string
  required: boolean
  description?: string
  schema: JsonSchema
}

type Headers = Record<string, { description: string; required?: boolean; schema: JsonSchema }>

const text = (description: string, schema: JsonSchema = { type: 'string' }) => ({ description, schema })
const seconds = { type: 'integer', minimum: 0 }

const REQUEST_ID: Headers = { 'X-Request-Id': text('Id of the request, as in the logs and the audit log.') }

/** Sent with every answer to a valid token. */
const RATE_LIMIT: Headers = {
  'RateLimit-Policy': text('The token’s limit (q), and its window in seconds (w).'),
  RateLimit: text('Requests left in this window (r), and seconds until it ends (t).'),
}

const REPLAYED: Headers = {
  'Idempotency-Replayed': text('“true” where this is the first answer to the Idempotency-Key, once more.'),
}
const APPLIED: Headers = {
  'Preference-Applied': text('The preferences that were applied.'),
}
const ETAG: Headers = {
  ETag: text('Changes whenever the answer does; absent where that is longer than 1 MiB.'),
}
const ETAG_AFTER: Headers = {
  ETag: text('What GET of the resource has from now on, for If-Match of the next change.'),
}
const LINK: Headers = {
  Link: text('With a limit, while there are more items: <URL of the next page>; rel="next".'),
}
const DISPOSITION: Headers = { 'Content-Disposition': text('attachment, with the name of the file.') }

export function successHeaders(endpoint: Endpoint): Headers {
  return {
    ...REQUEST_ID,
    ...RATE_LIMIT,
    ...APPLIED,
    ...(endpoint.hasETag ? ETAG : {}),
    ...(endpoint.hasETagAfter ? ETAG_AFTER : {}),
    ...(isListing(endpoint) ? LINK : {}),
    ...(endpoint.method === 'GET' ? {} : REPLAYED),
    ...(endpoint.sendsFile ? DISPOSITION : {}),
  }
}

const isListing = ({ query }: Endpoint) => 'fields' in query && Object.hasOwn(query.fields as object, 'limit')

export const notModifiedHeaders: Headers = { ...REQUEST_ID, ...RATE_LIMIT, ...ETAG }

export const acceptedHeaders: Headers = {
  ...REQUEST_ID,
  ...RATE_LIMIT,
  ...REPLAYED,
  Location: text('URL of the job: jobs/{id}.', { type: 'string', format: 'uri' }),
  ...APPLIED,
  'Retry-After': text('Seconds after which to look at the job.', seconds),
}

export const redirectHeaders: Headers = {
  ...REQUEST_ID,
  Location: text('URL of a page.', { type: 'string', format: 'uri' }),
}

/** The headers of a failure with one of these codes. */
export function failureHeaders(codes: RefusalCode[], endpoint: Endpoint): Headers {
  const statuses = codes.map((code) => REFUSALS[code].status)
  const kinds: RefusalKind[] = codes.map((code) => REFUSALS[code])
  const isRetried = kinds.some(({ retryAfterSeconds }) => retryAfterSeconds !== undefined)
  const isBeforeToken = statuses.every((status) => [400, 401, 414, 431].includes(status))
  return {
    ...REQUEST_ID,
    ...(isBeforeToken ? {} : RATE_LIMIT),
    ...(statuses.includes(422) ? APPLIED : {}),
    ...(statuses.includes(401)
      ? { 'WWW-Authenticate': text('Bearer, and why the token was rejected.') }
      : {}),
    ...(isRetried ? { 'Retry-After': text('Seconds after which to try again.', seconds) } : {}),
    ...(endpoint.method !== 'GET' && statuses.some((status) => [404, 409, 412, 422].includes(status))
      ? REPLAYED
      : {}),
  }
}

export function headerParameters(endpoint: Endpoint): Parameter[] {
  return [
    ...(endpoint.method === 'GET' && !endpoint.isLong ? [] : [IDEMPOTENCY_KEY]),
    endpoint.isLong ? PREFER_JOB : PREFER,
    ...(endpoint.hasETag ? [IF_NONE_MATCH] : []),
    ...(endpoint.takesIfMatch ? [IF_MATCH] : []),
  ]
}

const header = (name: string, description: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Makes retries safe: for 24 hours, the same request with the same key gets the first answer again.',
  { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
)
const STRICT = '“handling=strict” refuses every parameter and field that the operation does not know.'
const PREFER = header('Prefer', STRICT, { type: 'string', examples: ['handling=strict'] })
const PREFER_JOB = header(
  'Prefer',
  `“respond-async” answers 202 at once, with the job that does the work. ${STRICT}`,
  { type: 'string', examples: ['respond-async'] },
)
const IF_NONE_MATCH = header('If-None-Match', 'An ETag of before: 304 where the answer is still that one.', {
  type: 'string',
})
const IF_MATCH = header(
  'If-Match',
  'ETags of the resource as its GET answered: 412 where it has none of them any more. Without it, the write is unconditional.',
  { type: 'string' },
)
