// The parameters of an operation, as the OpenAPI document describes them.
import type * as yup from 'yup'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { pagingFields, timeRangeFields } from '../../../shared/schemas/queries.ts'
import { type Endpoint, isWrite } from '../../server/http/endpoint.ts'
import { type Components, type JsonSchema, toJsonSchema } from './json-schema.ts'

export type Parameter = {
  name: string
  in: string
  required: boolean
  description?: string
  schema: JsonSchema
}

export function listParameters(
  schema: yup.AnySchema,
  place: 'path' | 'query',
  components: Components,
): Parameter[] {
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input', components) as {
    properties?: Record<string, JsonSchema & { description?: string }>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }))
}

const STRICT_DESCRIPTION =
  '“handling=strict” refuses every parameter and field that the operation does not know.'

export function listHeaderParameters(endpoint: Endpoint): Parameter[] {
  const { isLong, hasETag, takesIfMatch } = endpoint
  const optional = (name: string, description: string, schema: JsonSchema = {}): Parameter => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...schema },
  })
  const key = optional(
    'Idempotency-Key',
    'Makes retries safe. For 24 hours, repeating a request with the same key returns the first answer.',
    { minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  )
  const job = `“respond-async” answers 202 at once, with the job that does the work. ${STRICT_DESCRIPTION}`
  const ifMatch =
    'ETags from a GET of the resource. Returns 412 if the resource no longer matches any of them. If omitted, the write is unconditional.'
  return [
    ...(isWrite(endpoint) || isLong ? [key] : []),
    isLong
      ? optional('Prefer', job, { examples: ['respond-async'] })
      : optional('Prefer', STRICT_DESCRIPTION, { examples: ['handling=strict'] }),
    ...(hasETag
      ? [optional('If-None-Match', 'An ETag of before: 304 where the answer is still that one.')]
      : []),
    ...(takesIfMatch ? [optional('If-Match', ifMatch)] : []),
  ]
}

/** Parameters that many operations share, by their names in the document. */
export function createSharedParameters(): Record<string, Parameter> {
  const headers = { method: 'PUT', takesIfMatch: true, hasETag: true } as Endpoint
  const all = [
    ...listParameters(object({ id: pathId() }), 'path', {}),
    ...listParameters(object({ ...timeRangeFields, ...pagingFields }), 'query', {}),
    ...listHeaderParameters(headers),
  ]
  const named = all.map((parameter) => [toPascalCase(parameter.name), parameter])
  const [, preferAsync] = listHeaderParameters({ ...headers, isLong: true })
  return { ...Object.fromEntries(named), PreferAsync: preferAsync }
}

/** Converts the name of a parameter: If-Match becomes IfMatch, location_id becomes LocationId. */
export function toPascalCase(name: string): string {
  return name.replace(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase())
}
