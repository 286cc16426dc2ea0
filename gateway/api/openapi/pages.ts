// The HTML pages about the API: the reference, made from the OpenAPI document, and an explanation of each failure,
// which the `type` of an error links to.
import { REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { type Html, html, htmlDocument } from '../../html/html.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import type { JsonSchema } from './json-schema.ts'
import { createExampleProblem } from './problem.ts'
import { createSamples, type LocatedOperation, listOperations } from './samples.ts'

/** Renders a page. `root` is the path of PUBLIC_URL, under which the gateway is served. */
function renderPage(title: string, root: string, contents: Html[], intro: Html, sections: Html[]): Html {
  const head = html`<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${root}/api/docs/style.css">`
  const body = html`<header class="top"><a class="brand" href="${root}/api/docs">Berth</a>
<nav aria-label="Documents"><a href="${root}/api/docs">Reference</a> <a href="${root}/api/docs/errors">Errors</a>
<a href="${root}/api/v1/openapi.json">OpenAPI</a> <a href="${root}/api/docs/postman.json">Postman</a></nav></header>
<main class="columns">
<div class="intro">${intro}</div>
<nav aria-label="Contents" class="contents"><ul>${contents}</ul></nav>
<div class="sections">${sections}</div>
</main>`
  return htmlDocument(head, body)
}

export function renderErrorsPage(root: string, baseUrl: string): Html {
  const kinds = Object.entries(REFUSALS).sort(([, a], [, b]) => a.status - b.status)
  return renderPage(
    'Berth API errors',
    root,
    kinds.map(
      ([code, { status }]) =>
        html`<li><a href="#${code}"><span class="method">${status}</span><span>${code}</span></a></li>`,
    ),
    html`<h1>Errors</h1>
<p>Every failure has the same shape. <code>code</code> is stable and meant for programs; <code>detail</code>, repeated in
<code>message</code>, is for people. <code>errors</code> lists the invalid fields of a 422, and <code>request_id</code>
finds the request in the logs.</p>
<pre class="wrap">${JSON.stringify(createExampleProblem(baseUrl), null, 2)}</pre>`,
    kinds.map(
      ([code, { status, title, explanation }]) => html`<section id="${code}" class="card">
<h2><span class="status">${status}</span> ${title}</h2>
<p><code>${code}</code></p>
<p>${explanation}</p>
</section>`,
    ),
  )
}

export function renderReferencePage(document: OpenApiDocument, root: string): Html {
  const operations = listOperations(document)
  const groups = document.tags.map(({ name }) => ({
    name,
    own: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
  return renderPage(
    'Berth API',
    root,
    groups.map(({ name, own }) => html`<li>${name}<ul>${own.map(renderContentsLine)}</ul></li>`),
    html`<h1>Berth API</h1>
${document.info.description.split('\n\n').map((text) => html`<p>${code(text)}</p>`)}
<pre class="wrap">curl -H 'Authorization: Bearer &lt;API_TOKEN&gt;' ${document.servers[0]?.url}/api/v1/groups</pre>`,
    groups.map(
      ({ name, own }) => html`<h2>${name}</h2>${own.map((each) => renderOperation(each, document, root))}`,
    ),
  )
}

function renderContentsLine({ method, path, operation }: LocatedOperation): Html {
  const short = allowBreaks(path.replace('/api/v1', ''))
  return html`<li><a href="#${operation.operationId}"><span class="method">${method}</span><span>${short}</span></a></li>`
}

function renderOperation(located: LocatedOperation, document: OpenApiDocument, root: string): Html {
  const { method, path, operation } = located
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const answers = Object.entries(responses)
  return html`<section id="${operationId}" class="card">
<h3><span class="method">${method}</span> <code>${allowBreaks(path)}</code></h3>
<p><strong>${summary}.</strong> ${code(description)}</p>
${renderFieldTable('Parameters', parameters)}
${Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
  renderFieldTable(
    type === 'application/json' ? 'JSON body' : `Body, as ${type}`,
    listFields(schema, document),
  ),
)}
<h4>Success</h4>
${answers.filter(([status]) => Number(status) < 400).map((each) => renderSuccess(each, document))}
<h4>Failures</h4>
<ul class="failures">${answers.filter(([status]) => Number(status) >= 400).map((each) => renderFailure(each, root))}</ul>
<details><summary>As a program</summary>
${createSamples(located, document).map(({ language, text }) => html`<h4>${language}</h4><pre>${text}</pre>`)}
</details>
</section>`
}

type StatusAndResponse = [string, Operation['responses'][string]]

function renderSuccess(
  [status, { description, content = {} }]: StatusAndResponse,
  document: OpenApiDocument,
): Html {
  return html`<p><span class="status">${status}</span> ${code(description)}</p>
${Object.entries(content).map(([type, { schema }]) =>
  type === 'application/json'
    ? html`<pre>${outlineSchema(schema, document, '')}</pre>`
    : html`<p>As <code>${type}</code>.</p>`,
)}`
}

function renderFailure([status, { description }]: StatusAndResponse, root: string): Html {
  const codes = [...description.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
  const links = codes.map((name) => html`<a href="${root}/api/docs/errors#${name}">${name}</a> `)
  return html`<li><span class="status">${status}</span> ${links}</li>`
}

type DocumentedField = {
  name: string
  in?: string
  required: boolean
  description?: string
  schema: JsonSchema
}

/** Lists the fields of an object. If a field is a list of objects, the fields of these objects follow, with
 * the names that errors use. */
function listFields(schema: JsonSchema, document: OpenApiDocument, prefix = ''): DocumentedField[] {
  const { properties = {}, required = [] } = resolveReference(schema, document)
  return Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, field]) => [
    {
      name: prefix + name,
      schema: field,
      required: (required as string[]).includes(name),
      description: String(field.description ?? ''),
    },
    ...listNestedFields(field, document, prefix + name),
  ])
}

function listNestedFields(
  { items, oneOf }: JsonSchema,
  document: OpenApiDocument,
  name: string,
): DocumentedField[] {
  if (items) return listFields(items as JsonSchema, document, `${name}.N.`)
  const kinds = (oneOf ?? []) as JsonSchema[]
  return kinds.flatMap((kind) => [
    ...listNestedFields(kind, document, name),
    ...listFields(kind, document, `${name}.`),
  ])
}

function renderFieldTable(title: string, fields: DocumentedField[]): Html | undefined {
  if (fields.length === 0) return undefined
  const row = ({ name, schema, required, description, in: place }: DocumentedField) => {
    const notes = [place, required ? 'required' : undefined].filter(Boolean).join(', ')
    const details = description ? html`<small>${code(description)}</small>` : undefined
    return html`<tr><td><code>${name}</code><small>${notes}</small></td><td>${describeType(schema)}${details}</td></tr>`
  }
  return html`<h4>${title}</h4>
<table><thead><tr><th scope="col">Name</th><th scope="col">Type</th></tr></thead><tbody>
${fields.map(row)}</tbody></table>`
}

function describeType(schema: JsonSchema): string {
  const { type, format, items, oneOf, default: fallback } = schema
  const kinds = ((oneOf ?? []) as JsonSchema[]).map(describeType)
  const names = kinds.length > 0 ? kinds.join(', or ') : [type ?? 'any'].flat().join(' or ')
  const whole = type === 'array' ? `array of ${describeType((items ?? {}) as JsonSchema)}` : names
  const limits = [
    format,
    Array.isArray(schema.enum) ? `one of ${schema.enum.join(', ')}` : undefined,
    ...LIMIT_SENTENCES.map(([member, sentence]) =>
      schema[member] === undefined ? undefined : sentence.replace('#', String(schema[member])),
    ),
    fallback === undefined ? undefined : `default ${JSON.stringify(fallback)}`,
  ].filter(Boolean)
  return limits.length > 0 ? `${whole} (${limits.join('; ')})` : whole
}

const LIMIT_SENTENCES: Array<[member: string, sentence: string]> = [
  ['minLength', 'at least # characters'],
  ['maxLength', 'at most # characters'],
  ['minimum', 'at least #'],
  ['maximum', 'at most #'],
  ['maxItems', 'at most # items'],
]

/** Outlines the shape of a response for a human reader. A `?` marks fields that may be absent. */
function outlineSchema(schema: JsonSchema, document: OpenApiDocument, indent: string): string {
  const { type, properties, items, oneOf, required = [] } = resolveReference(schema, document)
  if (Array.isArray(oneOf) && !schema.oneOf) {
    const [first, ...others] = oneOf as JsonSchema[]
    const names = others.map(({ $ref }) => String($ref).split('/').pop())
    return [outlineSchema(first ?? {}, document, indent), ...names].join(' or ')
  }
  const orNull = Array.isArray(type) && type.includes('null') ? ' or null' : ''
  if (items) return `[ ${outlineSchema(items as JsonSchema, document, indent)}, … ]${orNull}`
  if (!properties) return describeType({ ...schema, minimum: undefined })
  const mark = (name: string) => ((required as string[]).includes(name) ? '' : '?')
  const lines = Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, field]) => `${indent}  ${name}${mark(name)}: ${outlineSchema(field, document, `${indent}  `)}`,
  )
  return `{\n${lines.join('\n')}\n${indent}}${orNull}`
}

function resolveReference(schema: JsonSchema, document: OpenApiDocument): JsonSchema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').pop() : undefined
  return name === undefined ? schema : (document.components.schemas[name] ?? {})
}

/** Renders the parts of `text` in back quotes as code. */
function code(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : html`${part}`))
}

/** Renders a path so that it can wrap only at its slashes. */
function allowBreaks(path: string): Html[] {
  return path.split(/(?=\/)/).map((part, index) => (index ? html`<wbr>${part}` : html`${part}`))
}
