// Generates the client's methods: one for each operation of the OpenAPI document, in the resource that the operation's
// tag names.

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Returns the operations by resource, and the document's schemas, with an additional schema for each body,
 * response and query. `methods` contains the resource and name of each operation. */
export function describeResources(document, methods) {
  const schemas = { ...document.components.schemas }
  const resources = {}
  for (const [path, operations] of Object.entries(document.paths))
    for (const method of METHODS) {
      if (!operations[method]) continue
      const operation = describeOperation(document, schemas, { path, method, ...operations[method] })
      const { resource, name } = methods.get(operation.operationId)
      resources[resource] ??= {}
      resources[resource][name] = operation
    }
  return { resources, schemas }
}

function describeOperation(document, schemas, { path, method, operationId, summary, ...operation }) {
  const parameters = (operation.parameters ?? []).map((each) => resolveReference(document, each))
  const query = parameters.filter((each) => each.in === 'query')
  const upper = operationId[0].toUpperCase() + operationId.slice(1)
  const nameSchema = (suffix, schema) => {
    if (schema.$ref) return schema.$ref.split('/').at(-1)
    schemas[upper + suffix] = schema
    return upper + suffix
  }
  const [bodyType, body] =
    Object.entries(resolveReference(document, operation.requestBody)?.content ?? {})[0] ?? []
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    text: [summary, operation.description].filter(Boolean).join('. '),
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      type: parameters.find((each) => each.name === name)?.schema.type === 'integer' ? 'number' : 'string',
    })),
    body: body && { type: nameSchema('Body', body.schema), isForm: bodyType === 'multipart/form-data' },
    query: query.length > 0 && {
      type: nameSchema('Query', createQuerySchema(query)),
      isRequired: query.some(({ required }) => required),
      hasDetails: query.some(({ name, schema }) => name === 'include' && schema.enum?.includes('details')),
    },
    answer: describeAnswer(document, schemas, operation.responses, query, nameSchema),
  }
}

const createQuerySchema = (query) => ({
  type: 'object',
  required: query.filter(({ required }) => required).map(({ name }) => name),
  properties: Object.fromEntries(
    query
      .filter(({ name }) => name !== 'cursor')
      .map(({ name, description, schema }) => [name, { ...schema, ...(description && { description }) }]),
  ),
})

/**
 * Returns what a method resolves to: nothing, a file, a listing in pages, the `data` of the response, or the whole
 * response.
 */
function describeAnswer(document, schemas, responses, query, nameSchema) {
  const success = resolveReference(
    document,
    responses[Object.keys(responses).find((status) => status < '300')],
  )
  if (!success?.content) return { kind: 'nothing', type: 'void' }
  const { 'application/json': json } = success.content
  if (!json) return { kind: 'file', type: 'Blob' }
  const type = nameSchema('Answer', json.schema)
  const { data, next } = schemas[type].properties ?? {}
  if (!data || next) return { kind: 'whole', type }
  if (query.some(({ name }) => name === 'cursor')) return { kind: 'list', type: `${type}['data'][number]` }
  const isOne = data.minItems === 1 && data.maxItems === 1
  return { kind: 'data', type: isOne ? `[${type}['data'][number]]` : `${type}['data']` }
}

const toCamelCase = (text) => text.replace(/ (\w)/g, (_, letter) => letter.toUpperCase())
const lowerFirstLetter = (text) => text[0].toLowerCase() + text.slice(1)

function resolveReference(document, value) {
  if (!value?.$ref) return value
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((found, name) => found[name], document)
}

/** Returns the source of the table from which the client creates its methods, and the source of their types. */
export function writeResources(resources, schemaNames) {
  const all = Object.values(resources).flatMap((operations) => Object.values(operations))
  const used = schemaNames.filter((name) =>
    all.some(({ body, query, answer }) =>
      [body?.type, query?.type, /\w+/.exec(answer.type)[0]].includes(name),
    ),
  )
  const table = Object.entries(resources).map(([resource, operations]) => {
    const lines = Object.entries(operations).map(
      ([name, operation]) => `    ${name}: ${JSON.stringify(describeForRuntime(operation))},`,
    )
    return `  ${resource}: {\n${lines.join('\n')}\n  },`
  })
  const types = Object.entries(resources).map(([resource, operations]) => {
    const methods = Object.entries(operations).map(([name, operation]) => writeSignature(name, operation))
    return `  ${resource}: {\n${methods.join('\n')}\n  }`
  })
  return `// Generated from the OpenAPI document.
import type { Listing } from '../listing.ts'
import type { AnswerPromise, WithDetails, Operation, Options } from '../operation.ts'
import type { ${used.join(', ')} } from './schemas.ts'

export type Resources = {
${types.join('\n')}
}

export const OPERATIONS: Record<keyof Resources, Record<string, Operation>> = {
${table.join('\n')}
}
`
}

const describeForRuntime = ({ method, path, body, query, answer }) => ({
  method,
  path,
  ...(body && { body: body.isForm ? 'form' : 'json' }),
  ...(query && { query: true }),
  answer: answer.kind,
})

function writeSignature(name, { method, path, text, pathParameters, body, query, answer }) {
  const before = [
    ...pathParameters.map(
      (each) => `${lowerFirstLetter(toCamelCase(each.name.replaceAll('_', ' ')))}: ${each.type}`,
    ),
    ...(body ? [`body: ${body.type}`] : []),
  ]
  const returned = answer.kind === 'list' ? 'Listing' : 'AnswerPromise'
  const write = (queries, type) =>
    `    ${name}(${[...before, ...queries, 'options?: Options'].join(', ')}): ${returned}<${type}>`
  const signatures = [
    ...(query?.hasDetails
      ? [write([`query: ${query.type} & { include: 'details' }`], `WithDetails<${answer.type}>`)]
      : []),
    write(query ? [`query${query.isRequired && !body ? '' : '?'}: ${query.type}`] : [], answer.type),
  ]
  const lines = `${text.replaceAll('*/', '* /')}\n\n\`${method} ${path}\``
    .split('\n')
    .map((line) => `     * ${line}`.trimEnd())
  const comment = `    /**\n${lines.join('\n')}\n     */`
  return signatures.map((signature) => `${comment}\n${signature}`).join('\n')
}

// The operations whose examples show a resource the way the change feed does. A location appears as part of a bookable.
const SAMPLES = {
  booking: 'listBookings',
  event: 'listTodaysEvents',
  bookable: 'listAvailableBookables',
  location: 'listAvailableBookables',
  building: 'listBuildings',
  user: 'getUser',
  group: 'getGroup',
  webhook: 'getWebhook',
}

/** Returns the source of the event types, with an example of each resource from the document. */
export function writeSamples(document) {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const samples = Object.entries(SAMPLES).map(([resource, name]) => {
    const operation = operations.find(({ operationId }) => operationId === name)
    const { data } = operation.responses['200'].content['application/json'].example
    const [found] = [data].flat()
    return [resource, resource === 'location' ? found.location : found]
  })
  const types = Object.keys(document.components.schemas.WebhookMessage.discriminator.mapping)
  return `// Generated from the OpenAPI document.
export const WEBHOOK_TYPES: readonly string[] = ${JSON.stringify(types)}

export const SAMPLES: Record<string, unknown> = ${JSON.stringify(Object.fromEntries(samples), null, 2)}
`
}
