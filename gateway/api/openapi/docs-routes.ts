// Serves the documents about the API: OpenAPI, a Postman collection, a reference, the errors. They need no token and no other host.
import { BoundedMap } from '../../../shared/utilities/caches.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { html } from '../../html/html.ts'
import type { Endpoint } from '../../server/http/endpoint.ts'
import { API, type PlainRoute } from '../../server/http/router.ts'
import { sendNotModified } from '../../server/http/send.ts'
import type { Context } from '../../server/services/context.ts'
import { createOpenApiDocument } from './document.ts'
import { errorsPage, referencePage } from './pages.ts'
import { createPostmanCollection } from './postman.ts'
import { shareParts } from './shared-parts.ts'
import { STYLE } from './style.ts'

const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const inJson = (baseUrl: string) => JSON.stringify(baseUrl).slice(1, -1)
const inHtml = (text: string) => html`${text}`.text

export function docsRoutes(endpoints: Endpoint[], publicUrl?: string): PlainRoute[] {
  // The path below which the service is reached.
  const root = publicUrl ? new URL(publicUrl).pathname.replace(/\/$/, '') : ''
  const document = (baseUrl: string) => createOpenApiDocument(endpoints, baseUrl)
  const page = (path: string, source: Omit<DocumentSource, 'contentType'>): PlainRoute => {
    const send = renderOnce({ ...source, contentType: 'text/html; charset=utf-8' })
    return {
      path,
      handle(ctx) {
        ctx.set('Content-Security-Policy', PAGE_POLICY)
        send(ctx)
      },
    }
  }
  const redirectToDocs: PlainRoute['handle'] = (ctx) => {
    ctx.vary('Accept')
    ctx.redirect(`${root}/api/docs`)
  }
  return [
    {
      path: `${API}/openapi.json`,
      handle: renderOnce({
        contentType: 'application/json; charset=utf-8',
        render: (baseUrl) => JSON.stringify(shareParts(document(baseUrl))),
        escape: inJson,
      }),
    },
    {
      path: '/api/docs/postman.json',
      handle: renderOnce({
        contentType: 'application/json; charset=utf-8',
        render: (baseUrl) => JSON.stringify(createPostmanCollection(document(baseUrl))),
        escape: inJson,
      }),
    },
    page('/api/docs', {
      render: (baseUrl) => referencePage(document(baseUrl), root).text,
      escape: inHtml,
    }),
    page('/api/docs/errors', {
      render: (baseUrl) => errorsPage(root, baseUrl).text,
      // The address is inside a JSON example.
      escape: (baseUrl) => inHtml(inJson(baseUrl)),
    }),
    { path: '/api', handle: redirectToDocs },
    // Browsers have already been redirected to the dashboard.
    { path: '/', handle: redirectToDocs },
    {
      path: '/api/docs/style.css',
      handle(ctx) {
        ctx.type = 'text/css; charset=utf-8'
        ctx.set('Cache-Control', 'public, max-age=300')
        ctx.body = STYLE
      },
    },
  ]
}

type DocumentSource = {
  contentType: string
  render(baseUrl: string): string
  /** The address as it is escaped in such a document. */
  escape(baseUrl: string): string
}

const ADDRESSES_MAX = 20
// Stands for the address until then. There is no such host, and escaping never changes it.
const PLACEHOLDER = 'https://address-of-this-service.invalid'

/** Returns a function that answers with the document, which is rendered on the first request. */
export function renderOnce({ contentType, ...source }: DocumentSource): (ctx: Context) => void {
  const byAddress = new BoundedMap<{ text: string; etag: string }>(ADDRESSES_MAX)
  let parts: string[] | undefined
  const finish = (baseUrl: string) => {
    parts ??= source.render(PLACEHOLDER).split(PLACEHOLDER)
    const text = parts.join(source.escape(baseUrl))
    const finished = { text, etag: etagOf(text) }
    byAddress.set(baseUrl, finished)
    return finished
  }
  return (ctx) => {
    const { baseUrl } = ctx.state
    const { text, etag } = byAddress.get(baseUrl) ?? finish(baseUrl)
    // It changes only with a new release, but then at once.
    ctx.set('Cache-Control', 'no-cache')
    if (sendNotModified(ctx, etag)) return
    ctx.type = contentType
    ctx.body = text
  }
}
