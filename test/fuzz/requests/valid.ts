// Creates a valid request of any operation of the OpenAPI document.
import type { OpenApiDocument, Operation } from '../../../gateway/api/openapi/document.ts'
import type { JsonSchema } from '../../../gateway/api/openapi/json-schema.ts'
import type { Random } from '../../harness/random.ts'
import { createSampleFile } from '../files/samples.ts'
import type { Dictionary } from './dictionary.ts'
import type { Draft, Part } from './draft.ts'
import { ValidValues } from './values.ts'

export type Target = { method: string; template: string; operation: Operation }

// An import or export is a hundred times as much work as any other request.
const isLong = ({ template }: Target) =>
  template.includes('/users/import') || template.includes('/users/export')
const LONG_OPERATION_SHARE = 0.01

export function listOperations(document: OpenApiDocument): Target[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template,
      operation,
    })),
  )
}

export function pickOperation(targets: Target[], random: Random): Target {
  const wantsLong = random.chance(LONG_OPERATION_SHARE)
  return random.pick(targets.filter((target) => isLong(target) === wantsLong))
}

export function createValidDraft(
  { method, template, operation }: Target,
  dictionary: Dictionary,
  random: Random,
): Draft {
  const values = new ValidValues(random, dictionary)
  const query = values.fields(createQuerySchema(operation))
  const draft: Draft = {
    operation: `${method} ${template}`,
    mutations: [],
    method,
    path: template.replace(/\{(\w+)\}/g, (_, name) => values.path(name, template)),
    query: Object.entries(query).map(([name, value]) => [name, String(value)]),
    rawQuery: '',
    headers: [
      ['Host', '127.0.0.1'],
      ['Authorization', `Bearer ${dictionary.token}`],
      ['Accept', 'application/json'],
    ],
    body: undefined,
  }
  // Adds query parameters that an operation needs although the schema calls them optional.
  if (template.endsWith('/events/today'))
    draft.query.push(['building_id', String(random.pick(dictionary.buildings))])
  if (method !== 'GET' && random.chance(0.2))
    draft.headers.push(['Idempotency-Key', `key-${random.below(1e9)}`])
  addBody(draft, operation, values, random)
  return draft
}

function createQuerySchema({ parameters }: Operation): JsonSchema {
  const own = parameters.filter((parameter) => parameter.in === 'query')
  return {
    required: own.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
  }
}

function addBody(draft: Draft, { requestBody }: Operation, values: ValidValues, random: Random): void {
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {})
  if (!type || !content) return
  const fields = values.fields(content.schema)
  if (type === 'application/json') {
    draft.headers.push(['Content-Type', type])
    draft.body = { kind: 'json', value: fields }
    return
  }
  const boundary = `boundary${random.below(1e9)}`
  const { name, bytes } = createSampleFile(random)
  // Most imports are dry runs, because later requests cannot use people whom an import deactivated.
  const isReal = random.chance(0.2)
  const others = { ...fields, dry_run: !isReal, deactivate: false }
  const parts: Part[] = Object.entries(others)
    .filter(([field]) => field !== 'file')
    .map(([field, value]) => ({ name: field, content: Buffer.from(String(value)) }))
  parts.push({ name: 'file', filename: name, content: bytes })
  draft.headers.push(['Content-Type', `multipart/form-data; boundary=${boundary}`])
  draft.body = { kind: 'form', parts, boundary, isEnded: true }
}
