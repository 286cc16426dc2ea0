// Builds the OpenAPI 3.1 document from the endpoints. The document contains only what the endpoints declare.

import { createRequire } from 'node:module'
import type * as yup from 'yup'
import type { Ability } from '../../../shared/tokens/token-store.ts'
import { webhookMessageSchema } from '../../../shared/webhooks/changes.ts'
import { type Endpoint, listRequiredAbilities } from '../../server/http/endpoint.ts'
import { API_PREFIX, compareRanks } from '../../server/http/router.ts'
import { addExamplesToDocument } from './examples.ts'
import { type Components, describeFixedFields, type JsonSchema, toJsonSchema } from './json-schema.ts'
import { listHeaderParameters, listParameters } from './parameters.ts'
import { createProblemExamples, createProblemSchema } from './problem.ts'
import {
  describeFailureResponses,
  describeSuccessResponses,
  listRefusalCodes,
  type ResponseContent,
} from './responses.ts'
import { describeUnions } from './unions.ts'

export type OpenApiDocument = ReturnType<typeof createOpenApiDocument>
export type Operation = ReturnType<typeof describeOperation>

const API_DESCRIPTION = `Desks, parking spots, meeting rooms and home offices, and who has booked them.

Send \`Authorization: Bearer <API_TOKEN>\` with every request. Administrators create tokens, each with the abilities it
needs. A token may be limited to buildings: what lies elsewhere does not exist for it. Timestamps are ISO 8601, in UTC, with six fractional digits. Every failure has the same shape, with a stable
\`code\`.`

// Reads the version from the package.json above the source files or above dist/.
const { version: VERSION } = createRequire(import.meta.url)('#package') as { version: string }
const API_CONTACT = { name: 'The maintainers of Berth' }
const API_LICENSE = { name: 'All rights reserved', identifier: 'LicenseRef-Berth' }

// The description of each tag, which Redocly's rules require. A test enforces these rules.
const TAG_DESCRIPTIONS: Record<string, string> = {
  Users: 'People who book, with their vehicles and bookings. Users can be imported and exported.',
  Groups: 'Groups of users.',
  Buildings: 'Buildings with their locations and bookings.',
  Locations: 'Locations in a building, with their bookables and current occupancy.',
  Bookables: 'Desks, parking spots, meeting rooms and home offices.',
  Bookings: 'Reservations of a bookable by a user for a time range.',
  'Booking requests': 'Requests for bookings that an approver decides.',
  Events: 'Meetings, with their attendees and rooms.',
  Series: 'Bookings that repeat.',
  Changes: 'A feed of all changes, in order.',
  Webhooks: 'URLs that receive changes, and the deliveries to them.',
  Calendars: 'Secret URLs at which calendar apps read bookings and events.',
  Rules: 'Rules that bookings must follow, and the places that set them.',
  Availability: 'Free bookables, and the times when bookables and users are free.',
  Jobs: 'Imports and exports that run in the background, and their files.',
  Tokens: 'The token that authenticates the request.',
}

export function createOpenApiDocument(endpoints: Endpoint[], baseUrl: string) {
  const components: Components = {}
  components.Problem = createProblemSchema(baseUrl, components)
  const paths: Record<string, Record<string, Operation>> = {}
  for (const endpoint of endpoints.toSorted((a, b) => compareRanks(a.path, b.path))) {
    const path = API_PREFIX + endpoint.path
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint, components) }
  }
  const webhook = describeWebhook(components)
  describeUnions(components)
  const tags = [...new Set(endpoints.map(({ tag }) => tag))]
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Berth',
      version: VERSION,
      description: API_DESCRIPTION,
      contact: API_CONTACT,
      license: API_LICENSE,
    },
    servers: [{ url: baseUrl }],
    tags: tags.map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
    paths,
    webhooks: { change: { post: webhook } },
    components: {
      schemas: components,
      examples: createProblemExamples(endpoints.flatMap(listRefusalCodes), baseUrl),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: SECURITY_DESCRIPTION } },
    },
  }
  addExamplesToDocument(document, baseUrl)
  return document
}

const SECURITY_DESCRIPTION =
  'A Berth API token. A personal token (“berth_personal_…”) reads and writes only on behalf of its owner, so user_id and organizer_user_id can be omitted.'

function describeOperation(endpoint: Endpoint, components: Components) {
  const { isOpen, body, deprecation } = endpoint
  const ends =
    deprecation && `Deprecated since ${deprecation.since}; works until ${deprecation.sunset} at least.`
  const required = `Requires ${describeToken(listRequiredAbilities(endpoint))}.${endpoint.personal ? '' : ' Personal tokens are refused.'}`
  const needs = isOpen ? 'Requires no token.' : required
  return {
    operationId: endpoint.name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, describeFixedFields(body), needs, ends].filter(Boolean).join(' '),
    ...(deprecation && { deprecated: true }),
    security: isOpen ? [] : [{ token: [] }],
    parameters: [
      ...listParameters(endpoint.params, 'path', components),
      ...listParameters(endpoint.query, 'query', components),
      ...listHeaderParameters(endpoint),
    ],
    ...(body && { requestBody: { required: true, content: describeBody(endpoint, body, components) } }),
    responses: { ...describeSuccessResponses(endpoint, components), ...describeFailureResponses(endpoint) },
  }
}

function describeBody({ takesFile }: Endpoint, body: yup.AnySchema, components: Components): ResponseContent {
  const schema = toJsonSchema(body, 'input', components)
  if (!takesFile) return { 'application/json': { schema } }
  const file = {
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: 'The import file: csv, txt, ods, xls or xlsx.',
  }
  const properties = { file, ...(schema.properties as object) }
  return { 'multipart/form-data': { schema: { ...schema, required: ['file'], properties } } }
}

function describeToken(abilities: Ability[]): string {
  if (abilities.length === 0) return 'any token'
  const names = abilities.map((ability) => `\`${ability}\``).join(' and ')
  return `a token with the ${abilities.length === 1 ? 'ability' : 'abilities'} ${names}`
}

function describeWebhook(components: Components): JsonSchema {
  const schema = toJsonSchema(webhookMessageSchema, 'answer', components)
  return {
    operationId: 'receiveChange',
    summary: 'Receive a change',
    security: [],
    description:
      'Signed according to Standard Webhooks with webhook-id, webhook-timestamp and webhook-signature. Each delivery arrives at least once: ' +
      'a webhook-id that you have seen before is a repeat.',
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { '2XX': { description: 'Received. Deliveries that get any other status are retried.' } },
  }
}
