// Serves the documents about the API: OpenAPI, a reference, the errors. They need no token and no other host.

import { html } from '../http/html.ts'
import type { Endpoint } from '../http/kit/endpoint.ts'
import { API, type PlainRoute } from '../http/router.ts'
import type { Services } from '../services/services.ts'
import { createOpenApiDocument } from './document.ts'
import { errorsPage } from './errors-page.ts'
import { referencePage } from './reference-page.ts'
import { type DocumentSource, RenderedDocument } from './rendered-document.ts'
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
