// Serves the documents about the API: OpenAPI, a Postman collection, a reference, and the errors. They need no token,
// and load nothing from other hosts.
import { BoundedMap } from '../../../shared/utilities/caches.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import { html } from '../../html/html.ts'
import type { Endpoint } from '../../server/http/endpoint.ts'
import { API_PREFIX, type PlainRoute } from '../../server/http/router.ts'
import { sendNotModified } from '../../server/http/send.ts'
import type { Context } from '../../server/services/context.ts'
import { API_PAGES_STYLESHEET } from './style.ts'

const PAGE_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const escapeForJson = (baseUrl: string) => JSON.stringify(baseUrl).slice(1, -1)
const escapeForHtml = (text: string) => html`${text}`.text

export function createDocsRoutes(endpoints: Endpoint[], publicUrl?: string): PlainRoute[] {
  // The path of PUBLIC_URL, under which the gateway is served.
  const root = publicUrl ? new URL(publicUrl).pathname.replace(/\/$/, '') : ''
  const render =
    (name: keyof typeof import('./render-documents.ts')): DocumentSource['render'] =>
    async (baseUrl) =>
      (await import('./render-documents.ts'))[name](endpoints, baseUrl, root)
  const page = (path: string, source: Omit<DocumentSource, 'contentType'>): PlainRoute => {
    const send = renderOnce({ ...source, contentType: 'text/html; charset=utf-8' })
    return {
      path,
      handle(ctx) {
        ctx.set('Content-Security-Policy', PAGE_SECURITY_POLICY)
        return send(ctx)
      },
    }
  }
  const redirectToDocs: PlainRoute['handle'] = (ctx) => {
    ctx.vary('Accept')
    ctx.redirect(`${root}/api/docs`)
  }
  return [
    {
      path: `${API_PREFIX}/openapi.json`,
      handle: renderOnce({
        contentType: 'application/json; charset=utf-8',
        render: render('renderOpenApi'),
        escape: escapeForJson,
      }),
    },
    {
      path: '/api/docs/postman.json',
      handle: renderOnce({
        contentType: 'application/json; charset=utf-8',
        render: render('renderPostman'),
        escape: escapeForJson,
      }),
    },
    page('/api/docs', {
      render: render('renderReference'),
      escape: escapeForHtml,
    }),
    page('/api/docs/errors', {
      render: render('renderErrors'),
      // Escapes the URL for JSON, then for HTML, because the page shows it inside a JSON example.
      escape: (baseUrl) => escapeForHtml(escapeForJson(baseUrl)),
    }),
    { path: '/api', handle: redirectToDocs },
    // Redirects other clients to the docs. Browsers have already been redirected to the dashboard.
    { path: '/', handle: redirectToDocs },
    {
      path: '/api/docs/style.css',
      handle(ctx) {
        ctx.type = 'text/css; charset=utf-8'
        ctx.set('Cache-Control', 'public, max-age=300')
        ctx.body = API_PAGES_STYLESHEET
      },
    },
  ]
}

type DocumentSource = {
  contentType: string
  render(baseUrl: string): Promise<string>
  /** Returns the base URL, escaped for this kind of document. */
  escape(baseUrl: string): string
}

// The documents take about 3 MB for each base URL. The gateway keeps few of them, because any caller can choose the base
// URL with the Host header.
const CACHED_BASE_URLS_MAX = 4
// A placeholder for the base URL until it is known. No such host exists, and escaping does not change this
// text.
const BASE_URL_PLACEHOLDER = 'https://address-of-this-service.invalid'

/** Returns a function that responds with the document. The document is rendered at the first request. */
export function renderOnce({ contentType, ...source }: DocumentSource): (ctx: Context) => Promise<void> {
  const byAddress = new BoundedMap<{ text: string; etag: string }>(CACHED_BASE_URLS_MAX)
  let rendered: Promise<string> | undefined
  const finish = async (baseUrl: string) => {
    rendered ??= source.render(BASE_URL_PLACEHOLDER).catch((error) => {
      rendered = undefined
      throw error
    })
    const text = (await rendered).replaceAll(BASE_URL_PLACEHOLDER, () => source.escape(baseUrl))
    const finished = { text, etag: computeEtag(text) }
    byAddress.set(baseUrl, finished)
    return finished
  }
  return async (ctx) => {
    const { baseUrl } = ctx.state
    const { text, etag } = byAddress.get(baseUrl) ?? (await finish(baseUrl))
    // Lets browsers check for a new version at each request, because a new release changes the document at once.
    ctx.set('Cache-Control', 'no-cache')
    if (sendNotModified(ctx, etag)) return
    ctx.type = contentType
    ctx.body = text
  }
}
