// Compares every answer of the suite with the OpenAPI document: its status is declared, and its body matches.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApiDocument } from '../../../gateway/api/openapi/document.ts'
import { NAMED_SCHEMAS } from '../../../gateway/api/openapi/named-schemas.ts'
import type { ServedDocument } from '../../../gateway/api/openapi/shared-parts.ts'

type ApiAnswer = { status: number; headers: Headers; text: string; json: unknown }

// Answers to paths without an operation, and to invalid requests of any path.
const UNKNOWN_PATH_STATUSES = [404, 405, 400, 413, 414, 431]
const SHOWN_PATH_CHARACTERS = 200

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
  const contract = loadContract(url)
  contracts.set(url, contract)
  return contract
}

export async function expectDocumented(url: string, method: string, address: string, answered: ApiAnswer) {
  await expectDocumentedAt(url, method, new URL(address).pathname, answered)
}

/**
 * Expects an answer to match the OpenAPI document. Takes the path as it was sent, because a URL would resolve dots in
 * the path.
 */
export async function expectDocumentedAt(url: string, method: string, path: string, answered: ApiAnswer) {
  if (!path.startsWith('/api/v1/') || /\/openapi\.json\/?$/.test(path) || method === 'OPTIONS') return
  const isFailure = answered.status >= 400
  const where = `${method} ${path.slice(0, SHOWN_PATH_CHARACTERS)} -> ${answered.status}`
  const { document, findTemplate, validate } = await openApiOf(url)
  if (isFailure && method !== 'HEAD') checkAnswer(validate('#/components/schemas/Problem'), answered, where)

  // A 405 is correct for a method that the document does not contain.
  if (answered.status === 405) return
  const template = findTemplate(path)
  const operation = template && document.paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
  if (!operation) {
    if (!UNKNOWN_PATH_STATUSES.includes(answered.status))
      throw new Error(`${where}: answered, but not documented`)
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
  checkAnswer(validate(`#/${pointer.map((part) => encodePointer(String(part))).join('/')}`), answered, where)
}

/** Expects an error in the standard format, for requests that belong to no operation. */
export async function expectProblem(url: string, answered: ApiAnswer) {
  const { validate } = await openApiOf(url)
  checkAnswer(validate('#/components/schemas/Problem'), answered, String(answered.status))
}

async function loadContract(url: string): Promise<Contract> {
  const response = await fetch(`${url}/api/v1/openapi.json`)
  // Removes the server's own URL, because apart from it every Berth in a process publishes the same document.
  const text = (await response.text()).replaceAll(url, '')
  const known = contractsByText.get(text)
  if (known) return known
  const contract = compileContract(expandReferences(JSON.parse(text)))
  contractsByText.set(text, contract)
  return contract
}

/** Resolves the references of each operation, except for those to schemas within a body. */
export function expandReferences(served: ServedDocument): OpenApiDocument {
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

export function compileContract(document: OpenApiDocument): Contract {
  // Turns off strict mode, because the document has keywords besides those of JSON Schema.
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ ...(forbidAdditionalFields(document) as OpenApiDocument), $id: 'openapi' })
  const validators = new Map<string, ValidateFunction>()
  // Sorts the paths so that literal paths come before those with parameters.
  const templates = Object.keys(document.paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((path) => ({ path, pattern: createPattern(path) }))
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

// The document allows clients to receive additional fields; our answers must not have any.
function forbidAdditionalFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forbidAdditionalFields)
  if (value === null || typeof value !== 'object') return value
  const members = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, forbidAdditionalFields(member)]),
  )
  const isOpenObject =
    members.type !== undefined && 'properties' in members && !('additionalProperties' in members)
  return isOpenObject ? { ...members, additionalProperties: false } : members
}

function createPattern(template: string): RegExp {
  return new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`)
}

function checkAnswer(validate: ValidateFunction, answered: ApiAnswer, where: string) {
  if (!validate(answered.json)) {
    throw new Error(`${where}: not as documented: ${JSON.stringify(validate.errors)}\n${answered.text}`)
  }
}

export function encodePointer(part: string): string {
  return encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))
}
