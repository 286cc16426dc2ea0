// Compares every answer of the suite with the OpenAPI document: its status is declared, its body fits.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApiDocument } from '../../../gateway/api/openapi/document.ts'
import { NAMED_SCHEMAS } from '../../../gateway/api/openapi/named-schemas.ts'
import type { ServedDocument } from '../../../gateway/api/openapi/shared-parts.ts'

type Answered = { status: number; headers: Headers; text: string; json: unknown }

// What no operation offers; and what is no valid request, wherever it goes.
const UNKNOWN_PATH = [404, 405, 400, 413, 414, 431]
const PATH_SHOWN = 200

type Contract = {
  document: OpenApiDocument
  findTemplate(path: string): string | undefined
  validate(pointer: string): ValidateFunction
}

const contracts = new Map<string, Promise<Contract>>()
const contractsByText = new Map<string, Contract>()

export function openApiOf(url: string): Promise<Contract> {
  const known = contracts.get(url)
  if (known) return known
  const contract = load(url)
  contracts.set(url, contract)
  return contract
}

export async function expectDocumented(url: string, method: string, address: string, answered: Answered) {
  await expectDocumentedAt(url, method, new URL(address).pathname, answered)
}

/** The path as it was sent: a URL would take dots out of it. */
export async function expectDocumentedAt(url: string, method: string, path: string, answered: Answered) {
  if (!path.startsWith('/api/v1/') || /\/openapi\.json\/?$/.test(path) || method === 'OPTIONS') return
  const isFailure = answered.status >= 400
  const where = `${method} ${path.slice(0, PATH_SHOWN)} -> ${answered.status}`
  const { document, findTemplate, validate } = await openApiOf(url)
  if (isFailure && method !== 'HEAD') check(validate('#/components/schemas/Problem'), answered, where)

  // What no operation offers is documented by there being none.
  if (answered.status === 405) return
  const template = findTemplate(path)
  const operation = template && document.paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
  if (!operation) {
    if (!UNKNOWN_PATH.includes(answered.status)) throw new Error(`${where}: answered, but not documented`)
    return
  }
  const response = operation.responses[String(answered.status)]
  if (!response) throw new Error(`${where}: this status is not documented`)
  const [contentType = ''] = (answered.headers.get('Content-Type') ?? '').split(';')
  const content = response.content?.[contentType]
  if (isFailure || method === 'HEAD') return
  if (!content) {
    if (answered.text !== '') throw new Error(`${where}: has a body of ${contentType}, but documents none`)
    return
  }
  if (contentType !== 'application/json') return
  const pointer = [
    'paths',
    template,
    method.toLowerCase(),
    'responses',
    answered.status,
    'content',
    'application/json',
    'schema',
  ]
  check(validate(`#/${pointer.map((part) => encodePointer(String(part))).join('/')}`), answered, where)
}

/** For failures of what is no request of an operation. */
export async function expectProblem(url: string, answered: Answered) {
  const { validate } = await openApiOf(url)
  check(validate('#/components/schemas/Problem'), answered, String(answered.status))
}

async function load(url: string): Promise<Contract> {
  const response = await fetch(`${url}/api/v1/openapi.json`)
  // Apart from its own address every Berth of a process publishes the same.
  const text = (await response.text()).replaceAll(url, '')
  const known = contractsByText.get(text)
  if (known) return known
  const contract = compile(expand(JSON.parse(text)))
  contractsByText.set(text, contract)
  return contract
}

/** The served document with each operation complete: without references, except to schemas that are no whole body. */
export function expand(served: ServedDocument): OpenApiDocument {
  const { components } = served
  const expandPart = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(expandPart)
    if (part === null || typeof part !== 'object') return part
    const { $ref, ...beside } = Object(part)
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(String($ref)) ?? []
    const isExpanded =
      kind !== '' && (kind !== 'schemas' || /(Body|Answer)$/.test(name) || name in NAMED_SCHEMAS)
    if (isExpanded)
      return expandPart({
        ...(components as Record<string, Record<string, object>>)[kind]?.[name],
        ...beside,
      })
    return Object.fromEntries(Object.entries(part).map(([member, value]) => [member, expandPart(value)]))
  }
  return expandPart(served) as OpenApiDocument
}

export function compile(document: OpenApiDocument): Contract {
  // Not strict: the document has members beside JSON Schema's own.
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ ...(closed(document) as OpenApiDocument), $id: 'openapi' })
  const validators = new Map<string, ValidateFunction>()
  // The most literal one is meant.
  const templates = Object.keys(document.paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((path) => ({ path, pattern: patternOf(path) }))
  return {
    document,
    findTemplate: (path) => templates.find(({ pattern }) => pattern.test(path))?.path,
    validate(pointer) {
      const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi${pointer}` })
      validators.set(pointer, known)
      return known
    },
  }
}

// The document lets answers have more members than it lists, for clients; ours have no others.
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (value === null || typeof value !== 'object') return value
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]))
  const isOpenObject =
    members.type !== undefined && 'properties' in members && !('additionalProperties' in members)
  return isOpenObject ? { ...members, additionalProperties: false } : members
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`)
}

function check(validate: ValidateFunction, answered: Answered, where: string) {
  if (!validate(answered.json)) {
    throw new Error(`${where}: not as documented: ${JSON.stringify(validate.errors)}\n${answered.text}`)
  }
}

export function encodePointer(part: string): string {
  return encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))
}
