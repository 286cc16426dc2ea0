// Makes the OpenAPI 3.1 document from the endpoints: it documents what they declare, and nothing else.
import type * as yup from 'yup'
import { acceptedJobSchema } from '../../shared/jobs/accepted-jobs.ts'
import type { RefusalCode } from '../../shared/messages/refusal.ts'
import { REFUSALS } from '../../shared/messages/refusal-kinds.ts'
import type { Ability } from '../../shared/tokens/token-store.ts'
import { abilitiesOf, type Endpoint } from '../http/kit/endpoint.ts'
import { API } from '../http/router.ts'
import { addExamples } from './examples/examples.ts'
import {
  acceptedHeaders,
  failureHeaders,
  headerParameters,
  notModifiedHeaders,
  type Parameter,
  redirectHeaders,
  successHeaders,
} from './headers.ts'
import { type Components, describeFixed, type JsonSchema, toJsonSchema } from './json-schema.ts'
import { problemSchema } from './problem-schema.ts'
import { type Tag, tagsOf } from './tags.ts'
import { describeWebhooks } from './webhooks.ts'

export type OpenApiDocument = {
  openapi: string
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: Array<{ url: string }>
  tags: Tag[]
  paths: Record<string, Record<string, Operation>>
  webhooks: JsonSchema
  components: { schemas: Components; securitySchemes: JsonSchema }
}

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Array<Record<string, string[]>>
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response>
}

type Content = Record<string, { schema: JsonSchema; example?: unknown }>

type Response = {
  description: string
  headers?: JsonSchema
  content?: Content
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

const DESCRIPTION = `Desks, parking spots, meeting rooms and home offices, and who has booked them.

Send \`Authorization: Bearer <API_TOKEN>\` with every request. Administrators create tokens, each with the abilities it
needs. A token may be limited to buildings: what lies elsewhere does not exist for it. Timestamps are ISO 8601, in UTC, with six fractional digits. Every failure has the same shape, with a stable
\`code\`.`

const LICENSE = { name: 'All rights reserved', identifier: 'LicenseRef-Berth' }

export function createOpenApiDocument(endpoints: Endpoint[], baseUrl: string): OpenApiDocument {
  const components: Components = { Problem: problemSchema() }
  const paths: OpenApiDocument['paths'] = {}
  for (const endpoint of sortByPrecedence(endpoints)) {
    const path = API + endpoint.path
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, components) }
  }
  addExamples(paths, baseUrl)
  return {
    openapi: '3.1.0',
    info: { title: 'Berth', version: '1', description: DESCRIPTION, license: LICENSE },
    servers: [{ url: baseUrl }],
    tags: tagsOf(endpoints),
    paths,
    webhooks: describeWebhooks(components),
    components: {
      schemas: components,
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A Berth API token.' } },
    },
  }
}

function operationOf(endpoint: Endpoint, components: Components): Operation {
  const needs = endpoint.isOpen ? 'Requires no token.' : `Requires ${describeToken(abilitiesOf(endpoint))}.`
  return {
    operationId: endpoint.name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, describeFixed(endpoint.body), needs].filter(Boolean).join(' '),
    security: endpoint.isOpen ? [] : [{ token: [] }],
    parameters: [
      ...parametersOf(endpoint.params, 'path', components),
      ...parametersOf(endpoint.query, 'query', components),
      ...headerParameters(endpoint),
    ],
    ...(endpoint.body ? { requestBody: bodyOf(endpoint, endpoint.body, components) } : {}),
    responses: {
      ...successOf(endpoint, components),
      ...refusalsOf(endpoint),
    },
  }
}

function parametersOf(schema: yup.AnySchema, place: 'path' | 'query', components: Components): Parameter[] {
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input', components) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(typeof description === 'string' ? { description } : {}),
    schema: property,
  }))
}

function bodyOf(
  { takesFile }: Endpoint,
  body: yup.AnySchema,
  components: Components,
): Operation['requestBody'] {
  const schema = toJsonSchema(body, 'input', components)
  if (!takesFile) return { required: true, content: { 'application/json': { schema } } }
  const file = {
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: 'The import file: csv, txt, ods, xls or xlsx.',
  }
  const properties = { file, ...(schema.properties as object) }
  return {
    required: true,
    content: { 'multipart/form-data': { schema: { ...schema, required: ['file'], properties } } },
  }
}

function successOf(endpoint: Endpoint, components: Components): Record<string, Response> {
  const { answer } = endpoint
  const headers = successHeaders(endpoint)
  const description = answer.schema ? 'Success.' : 'Success. The body is empty.'
  const schema = answer.schema && toJsonSchema(answer.schema, 'answer', components)
  const types = answer.contentTypes ?? ['application/json']
  const content = schema && Object.fromEntries(types.map((type) => [mediaType(type), { schema }]))
  return {
    [answer.status]: { description, headers, ...(content ? { content } : {}) },
    ...(endpoint.isLong ? { 202: accepted(components) } : {}),
    ...(endpoint.redirectsBrowsers ? { 302: redirected } : {}),
    ...(endpoint.hasETag ? { 304: notModified } : {}),
  }
}

// Without the parameters.
const mediaType = (contentType: string) => contentType.split(';')[0] ?? contentType

const notModified: Response = {
  description: 'Not modified since the answer with this ETag (If-None-Match).',
  headers: notModifiedHeaders,
}

const redirected: Response = {
  description: 'To the map of the dashboard: a browser (Accept: text/html) without a token.',
  headers: redirectHeaders,
}

function accepted(components: Components): Response {
  const schema = toJsonSchema(acceptedJobSchema, 'answer', components)
  return {
    description: 'Accepted, with “Prefer: respond-async”: the job.',
    headers: acceptedHeaders,
    content: { 'application/json': { schema } },
  }
}

function describeToken(abilities: Ability[]): string {
  if (abilities.length === 0) return 'any token'
  const names = abilities.map((ability) => `\`${ability}\``).join(' and ')
  return `a token with the ${abilities.length === 1 ? 'ability' : 'abilities'} ${names}`
}

function refusalsOf(endpoint: Endpoint): Record<string, Response> {
  const codes = new Set<RefusalCode>([
    ...COMMON_REFUSALS.filter((code) => !endpoint.isOpen || !TOKEN_REFUSALS.includes(code)),
    ...(endpoint.ability ? (['missing_ability'] as const) : []),
    ...(endpoint.method === 'GET' ? [] : WRITE_REFUSALS),
    ...(endpoint.body ? (['unsupported_media_type'] as const) : []),
    ...(hasFields(endpoint.params) ? (['not_found'] as const) : []),
    ...(endpoint.takesIfMatch ? (['precondition_failed'] as const) : []),
    ...endpoint.refusals,
  ])
  const statuses = new Set([...codes].map((code) => REFUSALS[code].status))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const own = [...codes].filter((code) => REFUSALS[code].status === status)
      return [status, failure(own, endpoint)]
    }),
  )
}

function failure(codes: RefusalCode[], endpoint: Endpoint): Response {
  const content = { schema: { $ref: '#/components/schemas/Problem' } }
  return {
    description: codes.map((code) => `\`${code}\`: ${REFUSALS[code].title}.`).join(' '),
    headers: failureHeaders(codes, endpoint),
    content: { 'application/json': content, 'application/problem+json': content },
  }
}

function hasFields(schema: yup.AnySchema): boolean {
  return 'fields' in schema && Object.keys(schema.fields as object).length > 0
}

/** In order of precedence: literal paths come before those with an ID in the same place. */
function sortByPrecedence<Located extends { path: string }>(endpoints: Located[]): Located[] {
  const key = (path: string) => path.split('/').map((part) => (part.startsWith('{') ? '1' : `0${part}`))
  return [...endpoints].sort((a, b) => {
    const [left, right] = [key(a.path), key(b.path)]
    for (const [index, part] of left.entries()) {
      const other = right[index] ?? ''
      if (part[0] !== other[0]) return part < other ? -1 : 1
    }
    return left.length - right.length
  })
}
