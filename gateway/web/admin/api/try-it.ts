// Describes an API request to try: its fields with working examples, and the equivalent curl command. The browser sends
// the request (browser/try-it.ts), so the dashboard never receives a token.
import type pg from 'pg'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { addHours } from '../../../../shared/utilities/date-times.ts'
import { type Parameter as CurlParameter, formatCurlCommand } from '../../../api/openapi/curl-line.ts'
import type { OpenApiDocument, Operation } from '../../../api/openapi/document.ts'
import type { JsonSchema } from '../../../api/openapi/json-schema.ts'
import type { Parameter } from '../../../api/openapi/parameters.ts'
import { findNextFullHour } from '../../pages/time/instants.ts'

export type TryItField = {
  kind: CurlParameter['kind']
  name: string
  required: boolean
  description: string
  example: string
  options: string[]
}
export type TryItOperation = {
  id: string
  method: string
  path: string
  isWrite: boolean
  summary: string
  description: string
  fields: TryItField[]
  /** The JSON body of the request, if it has one, and the fields that the body may have. */
  body: string | undefined
  bodyFields: Array<{ name: string; required: boolean; description: string }>
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'multipart/form-data'

export function createTryItOperations(
  document: OpenApiDocument,
  examples: Examples,
  now: string,
): TryItOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const example = (name: string, schema: JsonSchema) =>
        chooseExample(name, schema, { path, examples, now })
      const json = operation.requestBody?.content[JSON_TYPE]?.schema
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        isWrite: method !== 'get' && operation.parameters.some(({ name }) => name === 'Idempotency-Key'),
        summary: operation.summary,
        description: operation.description,
        fields: [...createParameterFields(operation, example), ...createFormFields(operation, example)],
        body: json && JSON.stringify(createExampleBody(json, example), null, 2),
        bodyFields: json ? describeBodyFields(json) : [],
      }
    }),
  )
}

/** Formats the API request as a curl command. */
export function formatTryItCommand({ fields, ...trial }: TryItOperation, baseUrl: string): string {
  const parameters = fields.map(({ kind, name, example }) => ({
    kind,
    name,
    value: kind === 'file' ? 'people.csv' : example,
  }))
  return formatCurlCommand({ ...trial, parameters }, baseUrl)
}

type FindExample = (name: string, schema: JsonSchema) => unknown

function createParameterFields({ parameters }: Operation, example: FindExample): TryItField[] {
  const shown = parameters.filter((each): each is Parameter & { in: 'path' | 'query' } =>
    ['path', 'query'].includes(each.in),
  )
  return shown.map(({ in: kind, name, required, description = '', schema }) => {
    const isFilled = required || name === 'building_id'
    return {
      ...createField(name, schema, isFilled ? example(name, schema) : ''),
      kind,
      required,
      description,
    }
  })
}

function createFormFields({ requestBody }: Operation, example: FindExample): TryItField[] {
  const schema = requestBody?.content[FORM_TYPE]?.schema
  return listProperties(schema).map(({ name, schema: property, required, description }) => {
    const kind = property.contentMediaType ? ('file' as const) : ('field' as const)
    // Sets dry_run, so that trying an import changes nothing unless the user turns it off.
    const value = name === 'dry_run' ? 'true' : required && kind === 'field' ? example(name, property) : ''
    return { ...createField(name, property, value), kind, required, description }
  })
}

function createField(
  name: string,
  schema: JsonSchema,
  example: unknown,
): Pick<TryItField, 'name' | 'example' | 'options'> {
  const values = Array.isArray(schema.enum) ? schema.enum : schema.type === 'boolean' ? ['true', 'false'] : []
  const options = values.filter((value) => value !== null).map(String)
  return { name, example: example === undefined || example === null ? '' : String(example), options }
}

/** Returns a body with the required fields. The page describes the optional fields. */
function createExampleBody(schema: JsonSchema, example: FindExample): Record<string, unknown> {
  const needed = listProperties(schema).filter(({ required }) => required)
  return Object.fromEntries(needed.map(({ name, schema: property }) => [name, example(name, property)]))
}

function describeBodyFields(schema: JsonSchema): TryItOperation['bodyFields'] {
  return listProperties(schema).map(({ name, required, description }) => ({ name, required, description }))
}

function listProperties(schema: JsonSchema | undefined) {
  const required = (schema?.required ?? []) as string[]
  const properties = (schema?.properties ?? {}) as Record<string, JsonSchema>
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: property,
    required: required.includes(name),
    description: typeof property.description === 'string' ? property.description : '',
  }))
}

type ExampleContext = { path: string; examples: Examples; now: string }

function chooseExample(name: string, schema: JsonSchema, { path, examples, now }: ExampleContext): unknown {
  const known: Record<string, unknown> = {
    ...examples,
    organizer_user_id: examples.user_id,
    user_ids: [examples.user_id ?? 1],
  }
  // In a path such as users/{id}, the id is a user's id.
  const [, owner = ''] = /^\/api\/v1\/(\w+)s\/\{id\}/.exec(path) ?? []
  const key = name === 'id' ? `${owner}_id` : name
  if (key in known) return known[key] ?? 1
  if (schema.format === 'date-time') return formatNextHour(now, name.startsWith('to') ? 2 : 1)
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.format === 'uuid') return ''
  return [schema.type].flat().includes('integer') ? 1 : 'Example'
}

function formatNextHour(now: string, hours: number): string {
  return `${addHours(findNextFullHour(now), hours - 1).slice(0, 19)}Z`
}

export type Examples = {
  user_id: number | null
  user_email: string | null
  building_id: number | null
  location_id: number | null
  bookable_id: number | null
  booking_id: number | null
  event_id: number | null
  group_id: number | null
}

export async function findExamples(reads: pg.Pool): Promise<Examples> {
  const { rows } = await reads.query<Examples>(
    `SELECT some_user.id AS user_id, some_user.email AS user_email, some_bookable.*,
       (SELECT id FROM bookings WHERE user_id IS NOT NULL ORDER BY id DESC LIMIT 1) AS booking_id,
       (SELECT id FROM events ORDER BY id DESC LIMIT 1) AS event_id,
       (SELECT id FROM groups ORDER BY id LIMIT 1) AS group_id
     FROM (VALUES (1)) AS one_row
     LEFT JOIN (SELECT id, email FROM users WHERE deactivated_at IS NULL ORDER BY id LIMIT 1) AS some_user ON true
     LEFT JOIN (
       SELECT bookables.id AS bookable_id, locations.id AS location_id, locations.building_id
       FROM bookables JOIN locations ON locations.id = bookables.location_id
       WHERE bookables.deleted_at IS NULL AND bookables.status = ${BOOKABLE_STATUSES.flexible} ORDER BY bookables.id LIMIT 1
     ) AS some_bookable ON true`,
  )
  return rows[0] as Examples
}
