// Builds the OpenAPI document that the gateway serves: its components contain each part that several
// operations share once. The pages and the tests use the document of document.ts, in which each operation is
// complete.
import type { OpenApiDocument, Operation } from './document.ts'
import type { Components, JsonSchema } from './json-schema.ts'
import { NAMED_SCHEMAS, referenceNamedSchemas } from './named-schemas.ts'
import { createSharedParameters, type Parameter, toPascalCase } from './parameters.ts'
import {
  createSharedResponses,
  RESPONSE_HEADERS,
  RESPONSE_NAMES,
  type Response,
  type ResponseContent,
} from './responses.ts'

export function extractSharedParts({ components, paths, ...document }: OpenApiDocument) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const responses = addRepeatedParts(createSharedResponses(), operations.flatMap(listNamedResponses))
  const parameters = addRepeatedParts(createSharedParameters(), operations.flatMap(listNamedParameters))
  const examples = addRepeatedParts({}, operations.flatMap(listNamedExamples))
  const schemas = { ...components.schemas }
  const share = {
    header: createSharer('headers', RESPONSE_HEADERS),
    response: createSharer('responses', responses),
    parameter: createSharer('parameters', parameters),
    example: createSharer('examples', examples),
  }
  const withHeaders = ({ headers, ...response }: Response) => ({
    ...response,
    ...(headers && { headers: mapValues(headers, (header) => share.header(header as object)) }),
  })
  /** Names each request body that is an object, so that code generators create a type for it. */
  const nameBodies = (content: ResponseContent, name: string): ResponseContent =>
    mapValues(content, ({ schema, example, ...media }) => {
      if (schema.type === 'object') schemas[name] = schema
      const $ref = `#/components/schemas/${name}`
      return {
        schema: schema.type === 'object' ? { $ref } : schema,
        ...media,
        ...(example === undefined ? {} : shareExample(example, share.example)),
      }
    })
  const shareOperation = (operation: Operation) => {
    const { requestBody, parameters: own, responses: all } = operation
    const name = upperFirst(operation.operationId)
    return {
      ...operation,
      parameters: own.map(share.parameter).map(referenceNamedSchemas),
      ...(requestBody && {
        requestBody: { ...requestBody, content: nameBodies(requestBody.content, `${name}Body`) },
      }),
      responses: mapValues(all, (response) => {
        const shared = share.response(response)
        if (shared !== response) return shared
        const content = response.content && nameBodies(response.content, `${name}Answer`)
        return withHeaders({ ...response, ...(content && { content }) })
      }),
    }
  }
  const sharedPaths = mapValues(paths, (methods) => mapValues(methods, shareOperation))
  return {
    ...document,
    paths: sharedPaths,
    components: {
      ...components,
      examples: { ...components.examples, ...examples },
      schemas: {
        ...mapValues(schemas, referenceNamedSchemas),
        ...mapValues(NAMED_SCHEMAS, referenceMembers),
      } as Components,
      headers: RESPONSE_HEADERS,
      parameters: mapValues(parameters, referenceNamedSchemas),
      responses: mapValues(responses, withHeaders),
    },
  }
}

export type ServedDocument = ReturnType<typeof extractSharedParts>

/** A part of an operation, with its possible names. The part gets the first name that is not taken. */
type NamedPart<Part> = { part: Part; names: string[] }

function listNamedResponses({ tags, responses }: Operation): Array<NamedPart<Response>> {
  // Leaves out the body of a successful response, because each such body has its own name.
  const all = Object.entries(responses).filter(([status, { content }]) => Number(status) >= 300 || !content)
  return all.map(([status, part]) => {
    const name = RESPONSE_NAMES[Number(status)] ?? `Status${status}`
    return { part, names: [name, `${tags[0]?.replaceAll(' ', '')}${name}`] }
  })
}

function listNamedParameters({ tags, parameters }: Operation): Array<NamedPart<Parameter>> {
  return parameters.map((part) => {
    const name = toPascalCase(part.name)
    return { part, names: [name, `${tags[0]?.replaceAll(' ', '')}${name}`] }
  })
}

function listNamedExamples({ operationId, requestBody, responses }: Operation): Array<NamedPart<object>> {
  const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
  const media = contents.flatMap((content) => Object.values(content ?? {}))
  return media.flatMap(({ example }) =>
    example === undefined ? [] : { part: { value: example }, names: [upperFirst(operationId)] },
  )
}

/** Collects the parts that have a name, and the parts that several operations share. */
function addRepeatedParts<Part extends object>(named: Record<string, Part>, parts: Array<NamedPart<Part>>) {
  const all: Record<string, Part> = { ...named }
  const known = new Set(Object.values(named).map((part) => JSON.stringify(part)))
  const seen = new Set<string>()
  for (const { part, names } of parts) {
    const text = JSON.stringify(part)
    if (seen.has(text) && !known.has(text)) {
      all[chooseFreeName(names, all)] = part
      known.add(text)
    }
    seen.add(text)
  }
  return all
}

function chooseFreeName(names: string[], taken: object): string {
  const free = names.find((name) => !(name in taken))
  if (free !== undefined) return free
  const last = names.at(-1) ?? ''
  for (let number = 2; ; number++) if (!(`${last}${number}` in taken)) return `${last}${number}`
}

function shareExample(example: unknown, share: SharePart): Partial<ResponseContent[string]> {
  const value = { value: example }
  const shared = share(value)
  return shared === value ? { example } : { examples: { example: shared } }
}

type SharePart = (part: object) => object

/** Returns a function that replaces a part with a reference if the components contain an equal part. */
function createSharer(kind: string, parts: Record<string, object>): SharePart {
  const names = new Map(Object.entries(parts).map(([name, part]) => [JSON.stringify(part), name]))
  return (part) => {
    const name = names.get(JSON.stringify(part))
    return name === undefined ? part : { $ref: `#/components/${kind}/${name}` }
  }
}

const referenceMembers = (schema: JsonSchema) => mapValues(schema, referenceNamedSchemas)
const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function mapValues<Value, Result>(record: Record<string, Value>, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
