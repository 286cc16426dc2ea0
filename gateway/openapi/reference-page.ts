// The reference page for readers, made from the OpenAPI document.

import { type Html, html } from '../http/html.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import type { Parameter } from './headers.ts'
import type { JsonSchema } from './json-schema.ts'
import { layout } from './layout.ts'

type Field = { name: string; schema: JsonSchema; required: boolean; description: string; place?: string }
type Located = { method: string; path: string; operation: Operation }

export function referencePage(document: OpenApiDocument, root: string): Html {
  const operations = operationsOf(document)
  const groups = document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const contents = groups.map(
    ({ name, operations: own }) => html`<li>${name}<ul>${own.map(contentsLine)}</ul></li>`,
  )
  const url = document.servers[0]?.url ?? ''
  return layout(
    { title: 'Berth API', root },
    html`<main class="columns">
<div class="intro"><h1>Berth API</h1>
${document.info.description.split('\n\n').map((text) => html`<p>${code(text)}</p>`)}
<pre class="wrap">curl -H 'Authorization: Bearer &lt;API_TOKEN&gt;' ${url}/api/v1/groups</pre></div>
<nav aria-label="Endpoints" class="contents"><ul>${contents}</ul></nav>
<div class="sections">${groups.map(
      ({ name, operations: own }) =>
        html`<h2>${name}</h2>${own.map((each) => section(each, document, root))}`,
    )}</div>
</main>`,
  )
}

function operationsOf(document: OpenApiDocument): Located[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

function contentsLine({ method, path, operation }: Located): Html {
  return html`<li><a href="#${operation.operationId}"><span class="method">${method}</span><span>${breakable(
    path.replace('/api/v1', ''),
  )}</span></a></li>`
}

function section({ method, path, operation }: Located, document: OpenApiDocument, root: string): Html {
  const answers = Object.entries(operation.responses)
  return html`<section id="${operation.operationId}" class="card">
<h3><span class="method">${method}</span> <code>${breakable(path)}</code></h3>
<p><strong>${operation.summary}.</strong> ${code(operation.description)}</p>
${table('Parameters', operation.parameters.map(parameterField))}
${Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) =>
  table(type === 'application/json' ? 'JSON body' : `Body, as ${type}`, fieldsOf(schema, document)),
)}
<h4>Success</h4>
${answers.filter(([status]) => Number(status) < 400).map((each) => success(each, document))}
<h4>Failures</h4>
<ul class="failures">${answers.filter(([status]) => Number(status) >= 400).map((each) => failure(each, root))}</ul>
</section>`
}

type Answered = [string, Operation['responses'][string]]

function success([status, { description, content = {} }]: Answered, document: OpenApiDocument): Html {
  return html`<p><span class="status">${status}</span> ${code(description)}</p>
${Object.entries(content).map(([type, { schema }]) =>
  type === 'application/json'
    ? html`<pre>${outline(schema, document, '')}</pre>`
    : html`<p>As <code>${type}</code>.</p>`,
)}`
}

function failure([status, { description }]: Answered, root: string): Html {
  const codes = [...description.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
  const links = codes.map((name) => html`<a href="${root}/api/docs/errors#${name}">${name}</a> `)
  return html`<li><span class="status">${status}</span> ${links}</li>`
}

function parameterField(parameter: Parameter): Field {
  const { name, schema, required, description = '' } = parameter
  return { name, schema, required, description, place: parameter.in }
}

/** The fields of an object and, below each list of objects, those of its items, named as in error answers. */
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
  const row = ({ name, schema, required, description, place }: Field) => {
    const notes = [place, required ? 'required' : undefined].filter(Boolean).join(', ')
    return html`<tr><td><code>${name}</code><small>${notes}</small></td><td>${typeOf(schema)}${
      description ? html`<small>${code(description)}</small>` : undefined
    }</td></tr>`
  }
  return html`<h4>${title}</h4>
<table><thead><tr><th scope="col">Name</th><th scope="col">Type</th></tr></thead><tbody>
${fields.map(row)}</tbody></table>`
}

function typeOf(schema: JsonSchema): string {
  const { type, format, items, default: fallback } = schema
  const names = [type ?? 'any'].flat().join(' or ')
  const whole = type === 'array' ? `array of ${typeOf((items ?? {}) as JsonSchema)}` : names
  const limits = [
    format,
    Array.isArray(schema.enum) ? `one of ${schema.enum.join(', ')}` : undefined,
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
  ['minimum', 'at least #'],
  ['maximum', 'at most #'],
  ['maxItems', 'at most # items'],
]

/** Outlines the shape of an answer as a person would sketch it; a `?` marks fields that may be absent. */
function outline(schema: JsonSchema, document: OpenApiDocument, indent: string): string {
  const { type, properties, items, required = [] } = resolve(schema, document)
  const orNull = Array.isArray(type) && type.includes('null') ? ' or null' : ''
  if (items) return `[ ${outline(items as JsonSchema, document, indent)}, … ]${orNull}`
  if (!properties) return typeOf({ ...schema, minimum: undefined })
  const mark = (name: string) => ((required as string[]).includes(name) ? '' : '?')
  const lines = Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, field]) => `${indent}  ${name}${mark(name)}: ${outline(field, document, `${indent}  `)}`,
  )
  return `{\n${lines.join('\n')}\n${indent}}${orNull}`
}

function resolve(schema: JsonSchema, document: OpenApiDocument): JsonSchema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').pop() : undefined
  return name === undefined ? schema : (document.components.schemas[name] ?? {})
}

/** `text` in back quotes is code. */
function code(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : html`${part}`))
}

/** A path that can wrap only before each of its parts. */
function breakable(path: string): Html[] {
  return path.split(/(?=\/)/).map((part, index) => (index ? html`<wbr>${part}` : html`${part}`))
}
