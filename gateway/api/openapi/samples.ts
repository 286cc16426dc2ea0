// Each operation as a request with the examples of the document, whose ids are to be replaced: as a curl command, as a
// TypeScript and as a Python program. Their times are tomorrow's, whenever they run.
import { type ApiRequest, addressOf, curlLine, type Parameter } from './curl-line.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import { EXAMPLE_DAY, exampleOf } from './examples.ts'
import { nameMethods } from './method-names.ts'

const JSON_TYPE = 'application/json'

export type Located = { method: string; path: string; operation: Operation }

export function listOperations({ paths }: Pick<OpenApiDocument, 'paths'>): Located[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** The request with the parameters that it needs. */
export function sampleRequest({ method, path, operation }: Located, document: OpenApiDocument): ApiRequest {
  const { operationId, parameters, requestBody } = operation
  const source = { components: document.components.schemas, baseUrl: '' }
  // Some take a building or a location, and need one of them.
  const shown = parameters.filter(
    (each) => each.in !== 'header' && (each.required || each.name === 'building_id'),
  )
  const values = shown.map(({ in: kind, name, schema }) => ({
    kind: kind as Parameter['kind'],
    name,
    value: String(exampleOf(schema, `${operationId}.${name}`, source)),
  }))
  const json = requestBody?.content[JSON_TYPE]
  const file: Parameter[] = requestBody && !json ? [{ kind: 'file', name: 'file', value: 'users.csv' }] : []
  return {
    method,
    path,
    parameters: [...values, ...file],
    body: json && JSON.stringify(json.example, null, 2),
  }
}

export type Sample = { language: string; text: string }

export function samplesOf(located: Located, document: OpenApiDocument): Sample[] {
  const baseUrl = document.servers[0]?.url ?? ''
  const request = sampleRequest(located, document)
  return [
    { language: 'curl', text: curlCommand(request, baseUrl) },
    { language: 'TypeScript', text: typeScriptProgram(request, located.operation, document) },
    { language: 'Python', text: pythonProgram(request, located.operation, baseUrl) },
  ]
}

/** In TypeScript: a text that begins with the day of the examples. In Python: one that contains it. */
const DATED = new RegExp(`["']${EXAMPLE_DAY}([^"'\\n]*)["']`, 'g')
const MENTIONING = new RegExp(`"[^"\\n]*${EXAMPLE_DAY}[^"\\n]*"`, 'g')

function curlCommand(request: ApiRequest, baseUrl: string): string {
  const line = curlLine(request, baseUrl)
  if (!line.includes(EXAMPLE_DAY)) return line
  return `DAY=$(date -u -d tomorrow +%F)  # macOS: date -u -v+1d +%F\n${line.replaceAll(EXAMPLE_DAY, `'"$DAY"'`)}`
}

function typeScriptProgram(request: ApiRequest, operation: Operation, document: OpenApiDocument): string {
  const { operationId, parameters: described, responses } = operation
  const { resource, name } = methodOf(operationId, document)
  const { parameters, body } = request
  const file = parameters.find(({ kind }) => kind === 'file')
  const literal = (parameter: Parameter) => {
    const schema = described.find((each) => each.name === parameter.name)?.schema
    return schema?.type === 'integer' ? parameter.value : `'${parameter.value}'`
  }
  const query = parameters.filter(({ kind }) => kind === 'query')
  const passed = [
    ...parameters.filter(({ kind }) => kind === 'path').map(literal),
    ...(body === undefined ? [] : [body.replace(/"(\w+)":/g, '$1:')]),
    ...(file ? ["{ file: new File([await readFile('users.csv')], 'users.csv') }"] : []),
    ...(query.length > 0 ? [`{ ${query.map((each) => `${each.name}: ${literal(each)}`).join(', ')} }`] : []),
  ]
  const isListing = described.some((each) => each.name === 'cursor')
  const args = passed.join(', ').replace(DATED, (_, time: string) => `\`\${day}${time}\``)
  const day =
    args !== passed.join(', ')
      ? 'const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)\n'
      : ''
  const call = `await berth.${resource}.${name}(${args})${isListing ? '.all()' : ''}`
  return `${file ? "import { readFile } from 'node:fs/promises'\n" : ''}import { createClient } from '@berth/client'

const berth = createClient({ url: '${document.servers[0]?.url}', token: '<API_TOKEN>' })
${day}${Object.keys(responses).includes('204') ? call : `console.log(${call})`}`
}

const methodsOf = new WeakMap<OpenApiDocument, ReturnType<typeof nameMethods>>()

function methodOf(operationId: string, document: OpenApiDocument) {
  const methods =
    methodsOf.get(document) ?? nameMethods(listOperations(document).map(({ operation }) => operation))
  methodsOf.set(document, methods)
  return methods.get(operationId) ?? { resource: '', name: operationId }
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
  const all = [JSON.stringify(baseUrl + addressOf(request)), ...passed].join(',\n    ')
  const args = all.replace(MENTIONING, (text) => `f${text.replaceAll(EXAMPLE_DAY, '{day}')}`)
  const isDated = args !== all
  return `${isDated ? 'from datetime import datetime, timedelta, timezone\n' : ''}import os
import requests

${isDated ? 'day = datetime.now(timezone.utc).date() + timedelta(days=1)\n' : ''}answer = requests.${method.toLowerCase()}(
    ${args},
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
