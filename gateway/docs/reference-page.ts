// The page that people read, made from the OpenAPI document.

import { type Html, html } from '../html.ts'
import type { JsonSchema } from '../json-schema.ts'
import type { OpenApiDocument, Operation, Parameter } from '../openapi.ts'
import { layout } from './layout.ts'

type Field = { name: string; schema: JsonSchema; required: boolean; description: string; place?: string }

export function referencePage(document: OpenApiDocument): Html {
  const operations = operationsOf(document)
  const groups = document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const contents = groups.map(
    ({ name, operations: own }) =>
      html`<li>${name}<ul>${own.map(
        ({ method, path, operation }) =>
          html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a></li>`,
      )}</ul></li>`,
  )
  const url = document.servers[0]?.url ?? ''
  return layout(
    'The Berth API',
    html`<h1>The Berth API</h1>
${document.info.description.split('\n\n').map((text) => html`<p>${code(text)}</p>`)}
<pre>curl -H 'Authorization: Bearer &lt;API_TOKEN&gt;' ${url}/api/v1/groups</pre>
<nav aria-label="Endpoints" class="card"><ul class="contents">${contents}</ul></nav>
${groups.map(({ name, operations: own }) => html`<h2>${name}</h2>${own.map((each) => section(each, document))}`)}`,
  )
}

type Located = { method: string; path: string; operation: Operation }

function operationsOf(document: OpenApiDocument): Located[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

function section({ method, path, operation }: Located, document: OpenApiDocument): Html {
  const body = operation.requestBody?.content['application/json']?.schema
  return html`<section id="${operation.operationId}" class="card">
<h3><span class="method">${method}</span> <code>${path}</code></h3>
<p><strong>${operation.summary}.</strong> ${code(operation.description)}</p>
${table('Parameters', operation.parameters.map(parameterField))}
${body ? table('JSON body', fieldsOf(body, document)) : undefined}
<h4>Answers</h4>
<ul>${Object.entries(operation.responses).map(
    ([status, { description, content }]) =>
      html`<li><span class="status">${status}</span> ${code(description)}${
        Number(status) < 300 && content?.['application/json']
          ? html`<pre>${outline(content['application/json'].schema, document, '')}</pre>`
          : undefined
      }</li>`,
  )}</ul>
</section>`
}

function parameterField(parameter: Parameter): Field {
  const { name, schema, required, description = '' } = parameter
  return { name, schema, required, description, place: parameter.in }
}

/** The fields of an object and, below each list of objects, those of its items, named as failures name them. */
function fieldsOf(schema: JsonSchema, document: OpenApiDocument, prefix = ''): Field[] {
  const { properties, required } = resolve(schema, document)
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, field]) => [
    {
      name: prefix + name,
      schema: field,
      required: ((required ?? []) as string[]).includes(name),
      description: typeof field.description === 'string' ? field.description : '',
    },
    ...(field.items ? fieldsOf(field.items as JsonSchema, document, `${prefix}${name}.N.`) : []),
  ])
}

function table(title: string, fields: Field[]): Html | undefined {
  if (fields.length === 0) return undefined
  return html`<h4>${title}</h4>
<div class="scroll"><table><thead><tr><th>Name</th><th>Type</th><th>Required</th><th>Notes</th></tr></thead><tbody>
${fields.map(
  ({ name, schema, required, description, place }) =>
    html`<tr><td><code>${name}</code>${
      place ? html` <small>${place}</small>` : undefined
    }</td><td>${typeOf(schema)}</td><td>${required ? 'yes' : 'no'}</td><td>${description}</td></tr>`,
)}</tbody></table></div>`
}

function typeOf(schema: JsonSchema): string {
  const { type, format, items, default: fallback } = schema
  const names = [type ?? 'any'].flat().join(' or ')
  const whole = type === 'array' ? `array of ${typeOf((items ?? {}) as JsonSchema)}` : names
  const limits = [
    format,
    Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)).join(', ') : undefined,
    ...LIMITS.map(([member, sentence]) =>
      schema[member] === undefined ? undefined : sentence.replace('#', String(schema[member])),
    ),
    fallback === undefined ? undefined : `default ${JSON.stringify(fallback)}`,
  ].filter(Boolean)
  return limits.length > 0 ? `${whole} (${limits.join('; ')})` : whole
}

const LIMITS: Array<[member: string, sentence: string]> = [
  ['minLength', 'at least # characters'],
  ['maxLength', 'at most # characters'],
  ['minimum', 'from #'],
  ['maximum', 'to #'],
  ['maxItems', 'at most # items'],
]

/** The shape of an answer, as a person would sketch it. */
function outline(schema: JsonSchema, document: OpenApiDocument, indent: string): string {
  const { type, properties, items } = resolve(schema, document)
  if (type === 'array') return `[ ${outline((items ?? {}) as JsonSchema, document, indent)} … ]`
  if (!properties) return [type ?? 'any'].flat().join(' or ')
  const lines = Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, field]) => `${indent}  ${name}: ${outline(field, document, `${indent}  `)}`,
  )
  return `{\n${lines.join('\n')}\n${indent}}`
}

function resolve(schema: JsonSchema, document: OpenApiDocument): JsonSchema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').pop() : undefined
  return name === undefined ? schema : (document.components.schemas[name] ?? {})
}

/** `text` in back quotes is code. */
function code(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : html`${part}`))
}
