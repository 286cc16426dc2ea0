// The document as it is served: what many operations have in common is written once, in its components. The pages
// and the tests work with the document of document.ts, in which each operation is complete.
import type { OpenApiDocument, Operation } from './document.ts'
import type { Components, JsonSchema } from './json-schema.ts'
import { NAMED_SCHEMAS, nameParts } from './named-schemas.ts'
import { type Parameter, pascalCase, sharedParameters } from './parameters.ts'
import { type Content, HEADERS, type Response, STATUS_NAMES, sharedResponses } from './responses.ts'

export function shareParts({ components, paths, ...document }: OpenApiDocument) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const responses = addRepeated(sharedResponses(), operations.flatMap(responsesOf))
  const parameters = addRepeated(sharedParameters(), operations.flatMap(parametersOf))
  const examples = addRepeated({}, operations.flatMap(examplesOf))
  const schemas = { ...components.schemas }
  const share = {
    header: sharing('headers', HEADERS),
    response: sharing('responses', responses),
    parameter: sharing('parameters', parameters),
    example: sharing('examples', examples),
  }
  const withHeaders = ({ headers, ...response }: Response) => ({
    ...response,
    ...(headers && { headers: mapValues(headers, (header) => share.header(header as object)) }),
  })
  /** Gives each body that is an object a name, so that generators make a type of it. */
  const nameBodies = (content: Content, name: string): Content =>
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
      parameters: own.map(share.parameter).map(nameParts),
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
      schemas: { ...mapValues(schemas, nameParts), ...mapValues(NAMED_SCHEMAS, nameMembers) } as Components,
      headers: HEADERS,
      parameters: mapValues(parameters, nameParts),
      responses: mapValues(responses, withHeaders),
    },
  }
}

export type ServedDocument = ReturnType<typeof shareParts>

/** A part of an operation, and names for it: the first that is free is taken. */
type Named<Part> = { part: Part; names: string[] }

function responsesOf({ tags, responses }: Operation): Array<Named<Response>> {
  // Each body of a success has a name of its own.
  const all = Object.entries(responses).filter(([status, { content }]) => Number(status) >= 300 || !content)
  return all.map(([status, part]) => {
    const name = STATUS_NAMES[Number(status)] ?? `Status${status}`
    return { part, names: [name, `${tags[0]?.replaceAll(' ', '')}${name}`] }
  })
}

function parametersOf({ tags, parameters }: Operation): Array<Named<Parameter>> {
  return parameters.map((part) => {
    const name = pascalCase(part.name)
    return { part, names: [name, `${tags[0]?.replaceAll(' ', '')}${name}`] }
  })
}

function examplesOf({ operationId, requestBody, responses }: Operation): Array<Named<object>> {
  const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
  const media = contents.flatMap((content) => Object.values(content ?? {}))
  return media.flatMap(({ example }) =>
    example === undefined ? [] : { part: { value: example }, names: [upperFirst(operationId)] },
  )
}

/** The parts with a name, and those that several operations have alike. */
function addRepeated<Part extends object>(named: Record<string, Part>, parts: Array<Named<Part>>) {
  const all: Record<string, Part> = { ...named }
  const known = new Set(Object.values(named).map((part) => JSON.stringify(part)))
  const seen = new Set<string>()
  for (const { part, names } of parts) {
    const text = JSON.stringify(part)
    if (seen.has(text) && !known.has(text)) {
      all[freeName(names, all)] = part
      known.add(text)
    }
    seen.add(text)
  }
  return all
}

function freeName(names: string[], taken: object): string {
  const free = names.find((name) => !(name in taken))
  if (free !== undefined) return free
  const last = names.at(-1) ?? ''
  for (let number = 2; ; number++) if (!(`${last}${number}` in taken)) return `${last}${number}`
}

function shareExample(example: unknown, share: Share): Partial<Content[string]> {
  const value = { value: example }
  const shared = share(value)
  return shared === value ? { example } : { examples: { example: shared } }
}

type Share = (part: object) => object

/** Replaces a part by a reference where the components have the same. */
function sharing(kind: string, parts: Record<string, object>): Share {
  const names = new Map(Object.entries(parts).map(([name, part]) => [JSON.stringify(part), name]))
  return (part) => {
    const name = names.get(JSON.stringify(part))
    return name === undefined ? part : { $ref: `#/components/${kind}/${name}` }
  }
}

const nameMembers = (schema: JsonSchema) => mapValues(schema, nameParts)
const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function mapValues<Value, Result>(record: Record<string, Value>, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
