// Creates a valid request of any operation of the OpenAPI document.
import type { OpenApiDocument, Operation } from '../../../gateway/api/openapi/document.ts'
import type { JsonSchema } from '../../../gateway/api/openapi/json-schema.ts'
import type { Random } from '../../harness/random.ts'
import { createSampleFile } from '../files/samples.ts'
import type { Dictionary, ExampleRequest } from './dictionary.ts'
import type { Draft, Part } from './draft.ts'
import { ValidValues } from './values.ts'

export type Target = { method: string; template: string; operation: Operation }

// An import or export is a hundred times as much work as any other request.
export const isLong = ({ template }: Target) =>
  template.includes('/users/import') || template.includes('/users/export')
const LONG_OPERATION_SHARE = 0.01
// The other requests take their query and body only from the schema of the operation.
const LIKE_EXAMPLE_SHARE = 0.7
const OTHER_ID_SHARE = 0.3
// About as many resources of a kind as the requests of a run create.
const LATER_IDS = 300
const API_PREFIX = '/api/v1'
const ID_PATTERN = /\/(\d+)(?=\/|$)/

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

/** Creates a valid request from an example of the operation. `otherIdShare` is the share of requests that replace its id. */
export function createValidDraft(
  { method, template, operation }: Target,
  dictionary: Dictionary,
  random: Random,
  otherIdShare = OTHER_ID_SHARE,
): Draft {
  const values = new ValidValues(random, dictionary)
  const examples = dictionary.examples[`${method} ${template.slice(API_PREFIX.length)}`] ?? []
  const example = random.pick(examples)
  const isLikeExample = random.chance(LIKE_EXAMPLE_SHARE)
  const [ownPath = '', search = ''] = example.path.split('?')
  const path = random.chance(otherIdShare) ? changeId(ownPath, template, examples, values, random) : ownPath
  const query = {
    ...values.fields(createQuerySchema(operation)),
    ...(isLikeExample && Object.fromEntries(new URLSearchParams(search))),
  }
  const draft: Draft = {
    operation: `${method} ${template}`,
    mutations: [],
    method,
    path: `${API_PREFIX}/${path}`,
    query: Object.entries(query).map(([name, value]) => [name, String(value)]),
    rawQuery: '',
    headers: [
      ['Host', '127.0.0.1'],
      ['Authorization', `Bearer ${dictionary.token}`],
      ['Accept', 'application/json'],
    ],
    body: undefined,
  }
  if (method !== 'GET' && random.chance(0.2))
    draft.headers.push(['Idempotency-Key', `key-${random.below(1e9)}`])
  addBody(draft, operation, values, random, isLikeExample ? example.body : undefined)
  return draft
}

/**
 * Replaces the id in a path: by a place or user that bodies name as well, or by any id of its kind, including those
 * that later requests create. The ids of a path with several ids belong together, so they stay.
 */
function changeId(
  path: string,
  template: string,
  examples: ExampleRequest[],
  values: ValidValues,
  random: Random,
): string {
  const [name = '', ...others] = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name]) => name)
  const last = ID_PATTERN.exec(examples.at(-1)?.path ?? '')
  if (others.length > 0 || !last) return path
  return path.replace(ID_PATTERN, `/${values.known(name) ?? 1 + random.below(Number(last[1]) + LATER_IDS)}`)
}

function createQuerySchema({ parameters }: Operation): JsonSchema {
  const own = parameters.filter((parameter) => parameter.in === 'query')
  return {
    required: own.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
  }
}

function addBody(
  draft: Draft,
  { requestBody }: Operation,
  values: ValidValues,
  random: Random,
  example: unknown,
): void {
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {})
  if (!type || !content) return
  const fields = values.fields(content.schema)
  if (type === 'application/json') {
    draft.headers.push(['Content-Type', type])
    draft.body = { kind: 'json', value: example ? mergeExample(fields, example, random) : fields }
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

/** Takes times in the future from the fields, because an example is used several times. */
function mergeExample(fields: Record<string, unknown>, example: unknown, random: Random): object {
  // Mutations change the parts of a body.
  const own = structuredClone(example) as Record<string, unknown>
  const merged = { ...(random.chance(0.3) && fields), ...own }
  if (!('to_time' in own)) return merged
  const { from_time, to_time } = fields
  return { ...merged, ...('from_time' in own ? { from_time, to_time } : { from_time: undefined }) }
}
