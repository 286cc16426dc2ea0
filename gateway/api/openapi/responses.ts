// The responses of an operation, as the OpenAPI document describes them.
import { acceptedJobSchema } from '../../../shared/jobs/accepted-jobs.ts'
import { createRetryAfterHeader, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { type Endpoint, isWrite } from '../../server/http/endpoint.ts'
import { hasField } from '../../server/http/middleware/validate.ts'
import { type Components, type JsonSchema, toJsonSchema } from './json-schema.ts'

export type ResponseContent = Record<string, { schema: JsonSchema; example?: unknown; examples?: JsonSchema }>
export type Response = { description: string; headers?: JsonSchema; content?: ResponseContent }

// Codes of failures that any request may get, for example because the request is not valid HTTP, has no host
// name, has a URL that is too long, or asks for strict handling.
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
  // Also the code for a repeated write if the user has been erased in the meantime.
  'not_found',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'not_executed',
  'outcome_unknown',
]

const describeHeader = (description: string, schema: JsonSchema = { type: 'string' }) => ({
  description,
  schema,
})
const URI_SCHEMA = { type: 'string', format: 'uri' }
const SECONDS_SCHEMA = { type: 'integer', minimum: 0 }

/** The response headers, by their names in the document. */
export const RESPONSE_HEADERS = {
  RequestId: describeHeader('The id of the request, as it appears in the logs and the audit log.'),
  RateLimitPolicy: describeHeader('The rate limit of the token (q) and its window in seconds (w).'),
  RateLimit: describeHeader(
    'The number of requests left in this window (r) and the seconds until it ends (t).',
  ),
  IdempotencyReplayed: describeHeader('“true” if this repeats the first answer to the Idempotency-Key.'),
  PreferenceApplied: describeHeader('The preferences that were applied.'),
  ETag: describeHeader('Identifies this version of the answer. Absent if the answer is longer than 1 MiB.'),
  ETagAfter: describeHeader('The new ETag of the resource, for If-Match of the next change.'),
  Link: describeHeader(
    'The next page, as <URL>; rel="next". Set only if the request has a limit and there are more items.',
  ),
  WWWAuthenticate: describeHeader('The scheme (Bearer) and the reason why the token was rejected.'),
  RetryAfter: describeHeader('The number of seconds to wait before you retry.', SECONDS_SCHEMA),
  ContentDisposition: describeHeader('“attachment” with the name of the file.'),
}

const REQUEST_ID_HEADER = { 'X-Request-Id': RESPONSE_HEADERS.RequestId }
const RATE_LIMIT_HEADERS = {
  'RateLimit-Policy': RESPONSE_HEADERS.RateLimitPolicy,
  RateLimit: RESPONSE_HEADERS.RateLimit,
}
const REPLAYED_HEADER = { 'Idempotency-Replayed': RESPONSE_HEADERS.IdempotencyReplayed }
const PREFERENCE_APPLIED_HEADER = { 'Preference-Applied': RESPONSE_HEADERS.PreferenceApplied }
const ETAG_HEADER = { ETag: RESPONSE_HEADERS.ETag }
const ETAG_AFTER_WRITE_HEADER = { ETag: RESPONSE_HEADERS.ETagAfter }
const LINK_HEADER = { Link: RESPONSE_HEADERS.Link }

const NOT_MODIFIED_RESPONSE: Response = {
  description: 'The resource still matches the ETag in If-None-Match.',
  headers: { ...REQUEST_ID_HEADER, ...RATE_LIMIT_HEADERS, ...ETAG_HEADER },
}

const REDIRECT_RESPONSE: Response = {
  description: 'Redirects a browser (Accept: text/html) without a token to the map of the dashboard.',
  headers: { ...REQUEST_ID_HEADER, Location: describeHeader('The URL of the page.', URI_SCHEMA) },
}

export function describeSuccessResponses(
  endpoint: Endpoint,
  components: Components,
): Record<string, Response> {
  const { status, schema, contentTypes = ['application/json'] } = endpoint.answer
  const described = schema && toJsonSchema(schema, 'answer', components)
  const types = contentTypes.map((type) => type.split(';')[0] ?? type)
  const content = described && Object.fromEntries(types.map((type) => [type, { schema: described }]))
  return {
    [status]: {
      description: schema ? 'Success.' : 'Success. The body is empty.',
      headers: {
        ...REQUEST_ID_HEADER,
        ...RATE_LIMIT_HEADERS,
        ...PREFERENCE_APPLIED_HEADER,
        ...(endpoint.hasETag && ETAG_HEADER),
        ...(endpoint.hasETagAfter && ETAG_AFTER_WRITE_HEADER),
        ...(hasField(endpoint.query, 'limit') && LINK_HEADER),
        ...(isWrite(endpoint) && REPLAYED_HEADER),
        ...(endpoint.sendsFile && { 'Content-Disposition': RESPONSE_HEADERS.ContentDisposition }),
      },
      ...(content && { content }),
    },
    ...(endpoint.isLong && { 202: describeAcceptedResponse(components) }),
    ...(endpoint.redirectsBrowsers && { 302: REDIRECT_RESPONSE }),
    ...(endpoint.hasETag && { 304: NOT_MODIFIED_RESPONSE }),
  }
}

function describeAcceptedResponse(components: Components): Response {
  return {
    description: 'The accepted job, if the request has “Prefer: respond-async”.',
    headers: {
      ...REQUEST_ID_HEADER,
      ...RATE_LIMIT_HEADERS,
      ...REPLAYED_HEADER,
      Location: describeHeader('The URL of the job: jobs/{id}.', URI_SCHEMA),
      ...PREFERENCE_APPLIED_HEADER,
      'Retry-After': describeHeader(
        'The number of seconds to wait before you check the job.',
        SECONDS_SCHEMA,
      ),
    },
    content: { 'application/json': { schema: toJsonSchema(acceptedJobSchema, 'answer', components) } },
  }
}

/** Returns the refusal codes of an endpoint. */
export function listRefusalCodes(endpoint: Endpoint): RefusalCode[] {
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

export function describeFailureResponses(endpoint: Endpoint): Record<string, Response> {
  const codes = listRefusalCodes(endpoint)
  const statuses = new Set(codes.map((code) => REFUSALS[code].status))
  return Object.fromEntries([...statuses].map((status) => [status, describeFailure(status, codes, endpoint)]))
}

function describeFailure(status: number, all: RefusalCode[], endpoint: Endpoint): Response {
  const codes = all.filter((code) => REFUSALS[code].status === status)
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  const schema = { $ref: '#/components/schemas/Problem' }
  const isRetried = codes.some((code) => 'Retry-After' in createRetryAfterHeader(code))
  return {
    description: codes.map((code) => `\`${code}\`: ${REFUSALS[code].title}.`).join(' '),
    headers: {
      ...REQUEST_ID_HEADER,
      // All codes except these occur after the token is known, so their responses contain the rate limit
      // headers.
      ...(![400, 401, 414, 431].includes(status) && RATE_LIMIT_HEADERS),
      ...(status === 422 && PREFERENCE_APPLIED_HEADER),
      ...(status === 401 && { 'WWW-Authenticate': RESPONSE_HEADERS.WWWAuthenticate }),
      ...(isRetried && { 'Retry-After': RESPONSE_HEADERS.RetryAfter }),
      ...(isWrite(endpoint) && [404, 409, 412, 422].includes(status) && REPLAYED_HEADER),
    },
    content: {
      'application/json': { schema, examples: Object.fromEntries(examples) },
      'application/problem+json': { schema },
    },
  }
}

/** The names of responses in the document. */
export const RESPONSE_NAMES: Record<number, string> = {
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

/** Responses that many operations share, by their names in the document. If a response is only for writes or
 * only for reads, its name says so. */
export function createSharedResponses(): Record<string, Response> {
  const read = { method: 'GET', ability: 'read', params: object({ id: pathId() }), refusals: [] } as unknown
  const reads: Record<string, Response> = {
    304: NOT_MODIFIED_RESPONSE,
    ...describeFailureResponses(read as Endpoint),
  }
  const writes = describeFailureResponses({
    ...(read as Endpoint),
    method: 'PUT',
    body: object({}),
    takesIfMatch: true,
  })
  const ofWrites = Object.entries(writes).map(([status, response]) => {
    const isSame = JSON.stringify(response) === JSON.stringify(reads[status])
    return [`${reads[status] && !isSame ? 'Write' : ''}${RESPONSE_NAMES[Number(status)]}`, response]
  })
  const named = Object.entries(reads).map(([status, response]) => [RESPONSE_NAMES[Number(status)], response])
  return Object.fromEntries([...named, ...ofWrites])
}
