// Shows each operation as a sample request: as a curl command, a TypeScript program and a Python program. The
// samples use the examples of the document, whose ids must be replaced. Each sample uses times on the day
// after it is run.
import { type ApiRequest, formatCurlCommand, formatPathWithQuery, type Parameter } from './curl-line.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import { createExample, EXAMPLE_DAY } from './examples.ts'
import { nameMethods } from './method-names.ts'

const JSON_TYPE = 'application/json'

export type LocatedOperation = { method: string; path: string; operation: Operation }

export function listOperations({ paths }: Pick<OpenApiDocument, 'paths'>): LocatedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** Returns the request with only the parameters that it needs. */
export function createSampleRequest(
  { method, path, operation }: LocatedOperation,
  document: OpenApiDocument,
): ApiRequest {
  const { operationId, parameters, requestBody } = operation
  const source = { components: document.components.schemas, baseUrl: '' }
  // Includes `building_id`, because some operations require either a building or a location.
  const shown = parameters.filter(
    (each) => each.in !== 'header' && (each.required || each.name === 'building_id'),
  )
  const values = shown.map(({ in: kind, name, schema }) => ({
    kind: kind as Parameter['kind'],
    name,
    value: String(createExample(schema, `${operationId}.${name}`, source)),
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

export function createSamples(located: LocatedOperation, document: OpenApiDocument): Sample[] {
  const baseUrl = document.servers[0]?.url ?? ''
  const request = createSampleRequest(located, document)
  return [
    { language: 'curl', text: writeCurlCommand(request, baseUrl) },
    { language: 'TypeScript', text: writeTypeScriptProgram(request, located.operation, document) },
    { language: 'Python', text: writePythonProgram(request, located.operation, baseUrl) },
  ]
}

/** These match a string that begins with the example day (for TypeScript), or that contains it (for Python). */
const EXAMPLE_DAY_START = new RegExp(`["']${EXAMPLE_DAY}([^"'\\n]*)["']`, 'g')
const EXAMPLE_DAY_MENTION = new RegExp(`"[^"\\n]*${EXAMPLE_DAY}[^"\\n]*"`, 'g')

function writeCurlCommand(request: ApiRequest, baseUrl: string): string {
  const line = formatCurlCommand(request, baseUrl)
  if (!line.includes(EXAMPLE_DAY)) return line
  return `DAY=$(date -u -d tomorrow +%F)  # macOS: date -u -v+1d +%F\n${line.replaceAll(EXAMPLE_DAY, `'"$DAY"'`)}`
}

function writeTypeScriptProgram(
  request: ApiRequest,
  operation: Operation,
  document: OpenApiDocument,
): string {
  const { operationId, parameters: described, responses } = operation
  const { resource, name } = findMethod(operationId, document)
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
  const args = passed.join(', ').replace(EXAMPLE_DAY_START, (_, time: string) => `\`\${day}${time}\``)
  const day =
    args !== passed.join(', ')
      ? 'const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)\n'
      : ''
  const call = `await berth.${resource}.${name}(${args})${isListing ? '.all()' : ''}`
  return `${file ? "import { readFile } from 'node:fs/promises'\n" : ''}import { createClient } from '@berth/client'

const berth = createClient({ url: '${document.servers[0]?.url}', token: '<API_TOKEN>' })
${day}${Object.keys(responses).includes('204') ? call : `console.log(${call})`}`
}

const methodNamesByDocument = new WeakMap<OpenApiDocument, ReturnType<typeof nameMethods>>()

function findMethod(operationId: string, document: OpenApiDocument) {
  const methods =
    methodNamesByDocument.get(document) ??
    nameMethods(listOperations(document).map(({ operation }) => operation))
  methodNamesByDocument.set(document, methods)
  return methods.get(operationId) ?? { resource: '', name: operationId }
}

function writePythonProgram(
  request: ApiRequest,
  { responses, security }: Operation,
  baseUrl: string,
): string {
  const { method, parameters, body } = request
  const file = parameters.find(({ kind }) => kind === 'file')
  const passed = [
    ...(security.length > 0 ? [`headers={"Authorization": f"Bearer {os.environ['TOKEN']}"}`] : []),
    ...(file ? [`files={"${file.name}": open("${file.value}", "rb")}`] : []),
    ...(body === undefined ? [] : [`json=${formatPythonLiteral(JSON.parse(body), '    ')}`]),
  ]
  const [success] = Object.values(responses)
  const use = success?.content?.[JSON_TYPE]
    ? 'print(answer.json()["data"])'
    : success?.content && 'open("answer", "wb").write(answer.content)'
  const all = [JSON.stringify(baseUrl + formatPathWithQuery(request)), ...passed].join(',\n    ')
  const args = all.replace(EXAMPLE_DAY_MENTION, (text) => `f${text.replaceAll(EXAMPLE_DAY, '{day}')}`)
  const isDated = args !== all
  return `${isDated ? 'from datetime import datetime, timedelta, timezone\n' : ''}import os
import requests

${isDated ? 'day = datetime.now(timezone.utc).date() + timedelta(days=1)\n' : ''}answer = requests.${method.toLowerCase()}(
    ${args},
)
answer.raise_for_status()${use ? `\n${use}` : ''}`
}

function formatPythonLiteral(value: unknown, indent: string): string {
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
      value.map((each) => formatPythonLiteral(each, inner)),
      ']',
    )
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${formatPythonLiteral(member, inner)}`,
  )
  return lines('{', members, '}')
}
