// The responses of an operation, as the OpenAPI document describes them.
import { acceptedJobSchema } from '../../../shared/jobs/accepted-jobs.ts'
import { type RefusalCode, retryAfter } from '../../../shared/messages/refusal.ts'
import { REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { type Endpoint, isWrite } from '../../server/http/endpoint.ts'
import { hasField } from '../../server/http/middleware/validate.ts'
import { type Components, type JsonSchema, toJsonSchema } from './json-schema.ts'

export type Content = Record<string, { schema: JsonSchema; example?: unknown; examples?: JsonSchema }>
export type Response = { description: string; headers?: JsonSchema; content?: Content }

// Failures that any request may get: also if it is not valid HTTP, names no host, has a URL that is too long, or
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

/** The headers of answers, by their names in the document. */
export const HEADERS = {
  RequestId: header('The id of the request, as it appears in the logs and the audit log.'),
  RateLimitPolicy: header('The rate limit of the token (q) and its window in seconds (w).'),
  RateLimit: header('The number of requests left in this window (r) and the seconds until it ends (t).'),
  IdempotencyReplayed: header('“true” if this repeats the first answer to the Idempotency-Key.'),
  PreferenceApplied: header('The preferences that were applied.'),
  ETag: header('Identifies this version of the answer. Absent if the answer is longer than 1 MiB.'),
  ETagAfter: header('The new ETag of the resource, for If-Match of the next change.'),
  Link: header(
    'The next page, as <URL>; rel="next". Set only if the request has a limit and there are more items.',
  ),
  WWWAuthenticate: header('The scheme (Bearer) and the reason why the token was rejected.'),
  RetryAfter: header('The number of seconds to wait before you retry.', seconds),
  ContentDisposition: header('“attachment” with the name of the file.'),
}

const REQUEST_ID = { 'X-Request-Id': HEADERS.RequestId }
const RATE_LIMIT = { 'RateLimit-Policy': HEADERS.RateLimitPolicy, RateLimit: HEADERS.RateLimit }
const REPLAYED = { 'Idempotency-Replayed': HEADERS.IdempotencyReplayed }
const APPLIED = { 'Preference-Applied': HEADERS.PreferenceApplied }
const ETAG = { ETag: HEADERS.ETag }
const ETAG_AFTER = { ETag: HEADERS.ETagAfter }
const LINK = { Link: HEADERS.Link }

const NOT_MODIFIED: Response = {
  description: 'The resource still matches the ETag in If-None-Match.',
  headers: { ...REQUEST_ID, ...RATE_LIMIT, ...ETAG },
}

const REDIRECTED: Response = {
  description: 'Redirects a browser (Accept: text/html) without a token to the map of the dashboard.',
  headers: { ...REQUEST_ID, Location: header('The URL of the page.', uri) },
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
        ...(isWrite(endpoint) && REPLAYED),
        ...(endpoint.sendsFile && { 'Content-Disposition': HEADERS.ContentDisposition }),
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
    description: 'The accepted job, if the request has “Prefer: respond-async”.',
    headers: {
      ...REQUEST_ID,
      ...RATE_LIMIT,
      ...REPLAYED,
      Location: header('The URL of the job: jobs/{id}.', uri),
      ...APPLIED,
      'Retry-After': header('The number of seconds to wait before you check the job.', seconds),
    },
    content: { 'application/json': { schema: toJsonSchema(acceptedJobSchema, 'answer', components) } },
  }
}

/** The refusal codes of an endpoint. */
export function codesOf(endpoint: Endpoint): RefusalCode[] {
  const { isOpen, ability, personal, body, params, takesIfMatch } = endpoint
  const codes = new Set<RefusalCode>([
    ...COMMON_REFUSALS.filter((code) => !isOpen || !TOKEN_REFUSALS.includes(code)),
    ...(ability ? (['missing_ability'] as const) : []),
    ...(isOpen || (personal && !isWrite(endpoint)) ? [] : (['personal_token'] as const)),
    ...(isWrite(endpoint) ? WRITE_REFUSALS : []),
    ...(body ? (['unsupported_media_type'] as const) : []),
    ...('fields' in params && Object.keys(Object(params.fields)).length > 0 ? (['not_found'] as const) : []),
    ...(takesIfMatch ? (['precondition_failed'] as const) : []),
    ...endpoint.refusals,
  ])
  return [...codes]
}

export function failuresOf(endpoint: Endpoint): Record<string, Response> {
  const codes = codesOf(endpoint)
  const statuses = new Set(codes.map((code) => REFUSALS[code].status))
  return Object.fromEntries([...statuses].map((status) => [status, failure(status, codes, endpoint)]))
}

function failure(status: number, all: RefusalCode[], endpoint: Endpoint): Response {
  const codes = all.filter((code) => REFUSALS[code].status === status)
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  const schema = { $ref: '#/components/schemas/Problem' }
  const isRetried = codes.some((code) => 'Retry-After' in retryAfter(code))
  return {
    description: codes.map((code) => `\`${code}\`: ${REFUSALS[code].title}.`).join(' '),
    headers: {
      ...REQUEST_ID,
      // The others come before the token is known.
      ...(![400, 401, 414, 431].includes(status) && RATE_LIMIT),
      ...(status === 422 && APPLIED),
      ...(status === 401 && { 'WWW-Authenticate': HEADERS.WWWAuthenticate }),
      ...(isRetried && { 'Retry-After': HEADERS.RetryAfter }),
      ...(isWrite(endpoint) && [404, 409, 412, 422].includes(status) && REPLAYED),
    },
    content: {
      'application/json': { schema, examples: Object.fromEntries(examples) },
      'application/problem+json': { schema },
    },
  }
}

/** The names of responses in the document. */
export const STATUS_NAMES: Record<number, string> = {
  204: 'NoContent',
  302: 'Redirected',
  304: 'NotModified',
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  414: 'UriTooLong',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
  504: 'OutcomeUnknown',
}

/** Those that many operations have, by their names in the document. Where a write differs from a read, its name says so. */
export function sharedResponses(): Record<string, Response> {
  const read = { method: 'GET', ability: 'read', params: object({ id: pathId() }), refusals: [] } as unknown
  const reads: Record<string, Response> = { 304: NOT_MODIFIED, ...failuresOf(read as Endpoint) }
  const writes = failuresOf({ ...(read as Endpoint), method: 'PUT', body: object({}), takesIfMatch: true })
  const ofWrites = Object.entries(writes).map(([status, response]) => {
    const isSame = JSON.stringify(response) === JSON.stringify(reads[status])
    return [`${reads[status] && !isSame ? 'Write' : ''}${STATUS_NAMES[Number(status)]}`, response]
  })
  const named = Object.entries(reads).map(([status, response]) => [STATUS_NAMES[Number(status)], response])
  return Object.fromEntries([...named, ...ofWrites])
}
