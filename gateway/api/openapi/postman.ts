// Builds a Postman collection (format 2.1) of all operations. Its variables are the base URL and the token.
import type { OpenApiDocument } from './document.ts'
import { createSampleRequest, type LocatedOperation, listOperations } from './samples.ts'

const COLLECTION_SCHEMA_URL = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

export function createPostmanCollection(document: OpenApiDocument) {
  const { info, tags, servers } = document
  const operations = listOperations(document)
  return {
    info: { name: info.title, description: info.description, schema: COLLECTION_SCHEMA_URL },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: servers[0]?.url, type: 'string' },
      { key: 'token', value: '', type: 'string' },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map((each) => createItem(each, document)),
    })),
  }
}

function createItem(located: LocatedOperation, document: OpenApiDocument) {
  const { method, path, operation } = located
  const { parameters, body } = createSampleRequest(located, document)
  const exampleFor = (name: string) => parameters.find((each) => each.name === name)?.value ?? ''
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => formatSegment(segment, exampleFor))
  const description = `${operation.summary}. ${operation.description}`
  return {
    name: operation.summary,
    request: {
      method,
      description,
      ...(operation.security.length === 0 && { auth: { type: 'noauth' } }),
      header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: {
        raw: ['{{baseUrl}}', ...segments].join('/'),
        host: ['{{baseUrl}}'],
        path: segments,
        query: operation.parameters
          .filter((each) => each.in === 'query')
          .map(({ name, description: about }) => ({
            key: name,
            value: exampleFor(name),
            description: about,
            // Postman lists optional parameters, but does not send them until the user enables them.
            disabled: !parameters.some((each) => each.name === name),
          })),
        variable: segments
          .filter((segment) => segment.startsWith(':'))
          .map((segment) => ({ key: segment.slice(1), value: exampleFor(segment.slice(1)) })),
      },
      ...(body !== undefined && { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
      ...(parameters.some(({ kind }) => kind === 'file') && {
        body: { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: [] }] },
      }),
    },
  }
}

/** Postman allows a variable only as a whole path segment: `{id}`, but not `{secret}.ics`. */
function formatSegment(segment: string, exampleFor: (name: string) => string): string {
  const whole = /^\{(\w+)\}$/.exec(segment)
  return whole ? `:${whole[1]}` : segment.replace(/\{(\w+)\}/, (_, name: string) => exampleFor(name))
}
