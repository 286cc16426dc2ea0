// Serves the documents about the API: OpenAPI, a reference, the errors. They need no token and no other host.

import { BoundedMap } from '../../shared/utilities/caches.ts'
import { etagOf } from '../../shared/utilities/etags.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { sendNotModified } from '../http/etags.ts'
import { html } from '../http/html.ts'
import { API, type PlainRoute } from '../http/router.ts'
import type { Context } from '../services/context.ts'
import type { Services } from '../services/services.ts'
import { createOpenApiDocument } from './document.ts'
import { errorsPage, referencePage } from './pages.ts'
import { STYLE } from './style.ts'

const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const HTML_TYPE = 'text/html; charset=utf-8'

const inJson = (baseUrl: string) => JSON.stringify(baseUrl).slice(1, -1)
const inHtml = (text: string) => html`${text}`.text

export function docsRoutes(endpoints: Endpoint[]): PlainRoute[] {
  return [
    rendered(`${API}/openapi.json`, () => ({
      contentType: 'application/json; charset=utf-8',
      render: (baseUrl) => JSON.stringify(createOpenApiDocument(endpoints, baseUrl)),
      escape: inJson,
    })),
    rendered('/api/docs', (root) => ({
      contentType: HTML_TYPE,
      render: (baseUrl) => referencePage(createOpenApiDocument(endpoints, baseUrl), root).text,
      escape: inHtml,
    })),
    rendered('/api/docs/errors', (root) => ({
      contentType: HTML_TYPE,
      render: (baseUrl) => errorsPage(root, baseUrl).text,
      // The address is inside a JSON example.
      escape: (baseUrl) => inHtml(inJson(baseUrl)),
    })),
    redirectToDocs('/api'),
    // Browsers have already been redirected to the dashboard.
    redirectToDocs('/'),
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

/** Rendered on the first request; `root` is the path below which the service is reached. */
function rendered(path: string, sourceOf: (root: string) => DocumentSource): PlainRoute {
  let document: RenderedDocument | undefined
  return {
    path,
    handle(ctx, services) {
      document ??= new RenderedDocument(sourceOf(rootOf(services)))
      if (document.contentType === HTML_TYPE) ctx.set('Content-Security-Policy', PAGE_POLICY)
      document.send(ctx)
    },
  }
}

function redirectToDocs(path: string): PlainRoute {
  return {
    path,
    handle(ctx, services) {
      ctx.vary('Accept')
      ctx.redirect(`${rootOf(services)}/api/docs`)
    },
  }
}

function rootOf({ config }: Services): string {
  return config.publicUrl ? new URL(config.publicUrl).pathname.replace(/\/$/, '') : ''
}

export type DocumentSource = {
  contentType: string
  /** Renders the document, with this address wherever it names one. */
  render(baseUrl: string): string
  /** The address as it is escaped in such a document. */
  escape(baseUrl: string): string
}

type Finished = { text: string; etag: string }

const ADDRESSES_MAX = 20
// Stands for the address until then. There is no such host, and escaping never changes it.
const PLACEHOLDER = 'https://address-of-this-service.invalid'

export class RenderedDocument {
  readonly #source: DocumentSource
  readonly #byAddress = new BoundedMap<Finished>(ADDRESSES_MAX)
  #parts: string[] | undefined

  constructor(source: DocumentSource) {
    this.#source = source
  }

  get contentType(): string {
    return this.#source.contentType
  }

  send(ctx: Context) {
    const { text, etag } = this.#finish(ctx.state.baseUrl)
    // It changes only with a new release, but then at once.
    ctx.set('Cache-Control', 'no-cache')
    if (sendNotModified(ctx, etag)) return
    ctx.type = this.contentType
    ctx.body = text
  }

  #finish(baseUrl: string): Finished {
    const known = this.#byAddress.get(baseUrl)
    if (known) return known
    this.#parts ??= this.#source.render(PLACEHOLDER).split(PLACEHOLDER)
    const text = this.#parts.join(this.#source.escape(baseUrl))
    const finished = { text, etag: etagOf(text) }
    this.#byAddress.set(baseUrl, finished)
    return finished
  }
}
