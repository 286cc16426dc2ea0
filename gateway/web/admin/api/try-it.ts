// A request of the API to try: its fields with working examples, and the equivalent curl command. The browser
// sends it (browser/try-it.ts), so the dashboard never receives a token.
import type pg from 'pg'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { addHours } from '../../../../shared/utilities/date-times.ts'
import { type Parameter as CurlParameter, curlLine } from '../../../api/openapi/curl-line.ts'
import type { OpenApiDocument, Operation } from '../../../api/openapi/document.ts'
import type { JsonSchema } from '../../../api/openapi/json-schema.ts'
import type { Parameter } from '../../../api/openapi/parameters.ts'
import { nextFullHour } from '../../pages/time/instants.ts'

export type TryField = {
  kind: CurlParameter['kind']
  name: string
  required: boolean
  description: string
  example: string
  options: string[]
}
export type Trial = {
  id: string
  method: string
  path: string
  isWrite: boolean
  summary: string
  description: string
  fields: TryField[]
  /** The JSON of the request, if it has any, and the fields that it may have. */
  body: string | undefined
  bodyFields: Array<{ name: string; required: boolean; description: string }>
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'multipart/form-data'

export function createTrials(document: OpenApiDocument, examples: Examples, now: string): Trial[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const example = (name: string, schema: JsonSchema) => exampleOf(name, schema, { path, examples, now })
      const json = operation.requestBody?.content[JSON_TYPE]?.schema
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        isWrite: method !== 'get' && operation.parameters.some(({ name }) => name === 'Idempotency-Key'),
        summary: operation.summary,
        description: operation.description,
        fields: [...parameterFields(operation, example), ...formFields(operation, example)],
        body: json && JSON.stringify(bodyOf(json, example), null, 2),
        bodyFields: json ? describe(json) : [],
      }
    }),
  )
}

/** The same request as a curl command. */
export function curlLineOf({ fields, ...trial }: Trial, baseUrl: string): string {
  const parameters = fields.map(({ kind, name, example }) => ({
    kind,
    name,
    value: kind === 'file' ? 'people.csv' : example,
  }))
  return curlLine({ ...trial, parameters }, baseUrl)
}

type ExampleOf = (name: string, schema: JsonSchema) => unknown

function parameterFields({ parameters }: Operation, example: ExampleOf): TryField[] {
  const shown = parameters.filter((each): each is Parameter & { in: 'path' | 'query' } =>
    ['path', 'query'].includes(each.in),
  )
  return shown.map(({ in: kind, name, required, description = '', schema }) => {
    const isFilled = required || name === 'building_id'
    return { ...fieldOf(name, schema, isFilled ? example(name, schema) : ''), kind, required, description }
  })
}

function formFields({ requestBody }: Operation, example: ExampleOf): TryField[] {
  const schema = requestBody?.content[FORM_TYPE]?.schema
  return propertiesOf(schema).map(({ name, schema: property, required, description }) => {
    const kind = property.contentMediaType ? ('file' as const) : ('field' as const)
    // Trying an import changes nothing unless the user turns dry_run off.
    const value = name === 'dry_run' ? 'true' : required && kind === 'field' ? example(name, property) : ''
    return { ...fieldOf(name, property, value), kind, required, description }
  })
}

function fieldOf(
  name: string,
  schema: JsonSchema,
  example: unknown,
): Pick<TryField, 'name' | 'example' | 'options'> {
  const values = Array.isArray(schema.enum) ? schema.enum : schema.type === 'boolean' ? ['true', 'false'] : []
  const options = values.filter((value) => value !== null).map(String)
  return { name, example: example === undefined || example === null ? '' : String(example), options }
}

/** The required fields; the page describes the optional ones. */
function bodyOf(schema: JsonSchema, example: ExampleOf): Record<string, unknown> {
  const needed = propertiesOf(schema).filter(({ required }) => required)
  return Object.fromEntries(needed.map(({ name, schema: property }) => [name, example(name, property)]))
}

function describe(schema: JsonSchema): Trial['bodyFields'] {
  return propertiesOf(schema).map(({ name, required, description }) => ({ name, required, description }))
}

function propertiesOf(schema: JsonSchema | undefined) {
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

function exampleOf(name: string, schema: JsonSchema, { path, examples, now }: ExampleContext): unknown {
  const known: Record<string, unknown> = {
    ...examples,
    organizer_user_id: examples.user_id,
    user_ids: [examples.user_id ?? 1],
  }
  // In the path users/{id}, the id is a user's.
  const [, owner = ''] = /^\/api\/v1\/(\w+)s\/\{id\}/.exec(path) ?? []
  const key = name === 'id' ? `${owner}_id` : name
  if (key in known) return known[key] ?? 1
  if (schema.format === 'date-time') return nextHour(now, name.startsWith('to') ? 2 : 1)
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.format === 'uuid') return ''
  return [schema.type].flat().includes('integer') ? 1 : 'Example'
}

function nextHour(now: string, hours: number): string {
  return `${addHours(nextFullHour(now), hours - 1).slice(0, 19)}Z`
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
