// Each operation as a request that can be sent as it is, with the examples of the document: as a curl command and as a
// Python program.
import { type ApiRequest, addressOf, curlLine, type Parameter } from './curl-line.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import { exampleOf } from './examples.ts'

const JSON_TYPE = 'application/json'

export type Located = { method: string; path: string; operation: Operation }

export function listOperations({ paths }: Pick<OpenApiDocument, 'paths'>): Located[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** The request with its required parameters; those of a file upload as the document describes them. */
export function sampleRequest({ method, path, operation }: Located, document: OpenApiDocument): ApiRequest {
  const { operationId, parameters, requestBody } = operation
  const source = { components: document.components.schemas, baseUrl: '' }
  const required = parameters.filter((each) => each.required && each.in !== 'header')
  const values = required.map(({ in: kind, name, schema }) => ({
    kind: kind as Parameter['kind'],
    name,
    value: String(exampleOf(schema, `${operationId}.${name}`, source)),
  }))
  const json = requestBody?.content[JSON_TYPE]
  const file: Parameter[] = requestBody && !json ? [{ kind: 'file', name: 'file', value: 'users.csv' }] : []
  return {
    ...{ method, path, parameters: [...values, ...file] },
    body: json && JSON.stringify(json.example, null, 2),
  }
}

export type Sample = { language: string; text: string }

export function samplesOf(located: Located, document: OpenApiDocument): Sample[] {
  const baseUrl = document.servers[0]?.url ?? ''
  const request = sampleRequest(located, document)
  return [
    { language: 'curl', text: curlLine(request, baseUrl) },
    { language: 'Python', text: pythonProgram(request, located.operation, baseUrl) },
  ]
}

function pythonProgram(request: ApiRequest, { responses, security }: Operation, baseUrl: string): string {
  const { method, parameters, body } = request
  const file = parameters.find(({ kind }) => kind === 'file')
  const passed = [
    ...(security.length > 0 ? [`headers={"Authorization": f"Bearer {os.environ['TOKEN']}"}`] : []),
    ...(file ? [`files={"${file.name}": open("${file.value}", "rb")}`] : []),
    ...(body === undefined ? [] : [`json=${pythonLiteral(JSON.parse(body), '    ')}`]),
  ]
  const [success] = Object.values(responses)
  const use = success?.content?.[JSON_TYPE]
    ? 'print(answer.json()["data"])'
    : success?.content && 'open("answer", "wb").write(answer.content)'
  return `import os
import requests

answer = requests.${method.toLowerCase()}(
    ${[JSON.stringify(baseUrl + addressOf(request)), ...passed].join(',\n    ')},
)
answer.raise_for_status()${use ? `\n${use}` : ''}`
}

function pythonLiteral(value: unknown, indent: string): string {
  const inner = `${indent}    `
  const lines = (open: string, parts: string[], close: string) =>
    parts.length === 0
      ? open + close
      : `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value))
    return lines(
      '[',
      value.map((each) => pythonLiteral(each, inner)),
      ']',
    )
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member, inner)}`,
  )
  return lines('{', members, '}')
}
