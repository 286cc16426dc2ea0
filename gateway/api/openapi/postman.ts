// A Postman collection (format 2.1) of all operations. Its variables are the address and the token.
import type { OpenApiDocument } from './document.ts'
import { type Located, listOperations, sampleRequest } from './samples.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

export function createPostmanCollection(document: OpenApiDocument) {
  const { info, tags, servers } = document
  const operations = listOperations(document)
  return {
    info: { name: info.title, description: info.description, schema: SCHEMA },
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
        .map((each) => itemOf(each, document)),
    })),
  }
}

function itemOf(located: Located, document: OpenApiDocument) {
  const { method, path, operation } = located
  const { parameters, body } = sampleRequest(located, document)
  const exampleFor = (name: string) => parameters.find((each) => each.name === name)?.value ?? ''
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => postmanSegment(segment, exampleFor))
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
            // Optional parameters are listed, but not sent until they are enabled.
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

/** Postman knows only variables that are a whole segment: `{id}`, but not `{secret}.ics`. */
function postmanSegment(segment: string, exampleFor: (name: string) => string): string {
  const whole = /^\{(\w+)\}$/.exec(segment)
  return whole ? `:${whole[1]}` : segment.replace(/\{(\w+)\}/, (_, name: string) => exampleFor(name))
}
