// The document as it is served: what many operations have in common is written once, in its components. The pages
// and the tests work with the document of document.ts, in which each operation is complete.
import type { OpenApiDocument, Operation } from './document.ts'
import type { Components } from './json-schema.ts'
import { sharedParameters } from './parameters.ts'
import { type Content, HEADERS, type Response, sharedResponses } from './responses.ts'

type Share = (part: object) => object

export function shareParts({ components, paths, ...document }: OpenApiDocument) {
  const responses = { ...sharedResponses(), ...repeatedResponses(paths) }
  const parameters = sharedParameters()
  const schemas = { ...components.schemas }
  const share = {
    header: sharing('headers', HEADERS),
    response: sharing('responses', responses),
    parameter: sharing('parameters', parameters),
  }
  const withHeaders = ({ headers, ...response }: Response) => ({
    ...response,
    ...(headers && { headers: mapValues(headers, (header) => share.header(header as object)) }),
  })
  const shareOperation = (operation: Operation) => {
    const { requestBody, parameters: own, responses: all } = operation
    const name = operation.operationId.charAt(0).toUpperCase() + operation.operationId.slice(1)
    return {
      ...operation,
      parameters: own.map(share.parameter),
      ...(requestBody && {
        requestBody: { ...requestBody, content: nameBodies(requestBody.content, `${name}Body`, schemas) },
      }),
      responses: mapValues(all, (response) => {
        const shared = share.response(response)
        if (shared !== response) return shared
        const content = response.content && nameBodies(response.content, `${name}Answer`, schemas)
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
      schemas,
      headers: HEADERS,
      parameters,
      responses: mapValues(responses, withHeaders),
    },
  }
}

export type ServedDocument = ReturnType<typeof shareParts>

/** The other failures that several operations have alike, named by their status. */
function repeatedResponses(paths: OpenApiDocument['paths']): Record<string, Response> {
  const seen = new Set<string>()
  const named = new Set(Object.values(sharedResponses()).map((each) => JSON.stringify(each)))
  const repeated = new Map<string, [status: string, response: Response]>()
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const [status, response] of Object.entries(responses).filter(([each]) => Number(each) >= 400)) {
      const text = JSON.stringify(response)
      if (seen.has(text) && !named.has(text)) repeated.set(text, [status, response])
      seen.add(text)
    }
  return Object.fromEntries(
    [...repeated.values()].map(([status, response], index) => [
      `Refused${status}Variant${index + 1}`,
      response,
    ]),
  )
}

/** Gives each body that is an object a name, so that generators make a type of it. */
function nameBodies(content: Content, name: string, schemas: Components): Content {
  return mapValues(content, ({ schema, ...media }) => {
    if (schema.type !== 'object') return { schema, ...media }
    schemas[name] = schema
    return { schema: { $ref: `#/components/schemas/${name}` }, ...media }
  })
}

/** Replaces a part by a reference where the components have the same. */
function sharing(kind: string, parts: Record<string, object>): Share {
  const names = new Map(Object.entries(parts).map(([name, part]) => [JSON.stringify(part), name]))
  return (part) => {
    const name = names.get(JSON.stringify(part))
    return name === undefined ? part : { $ref: `#/components/${kind}/${name}` }
  }
}

function mapValues<Value, Result>(record: Record<string, Value>, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
