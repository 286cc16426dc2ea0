// The layout of every page about the API.
import { type Html, html, htmlDocument } from '../http/html.ts'

/** `root` is the path below which the service is reached, if PUBLIC_URL has one. */
type LayoutData = { title: string; root: string }

export function layout({ title, root }: LayoutData, content: Html): Html {
  const head = html`<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${root}/api/docs/style.css">`
  const body = html`<header class="top"><a class="brand" href="${root}/api/docs">Berth</a>
<nav aria-label="Documents"><a href="${root}/api/docs">Reference</a> <a href="${root}/api/docs/errors">Errors</a>
<a href="${root}/api/v1/openapi.json">OpenAPI</a></nav></header>
${content}`
  return htmlDocument(head, body)
}
