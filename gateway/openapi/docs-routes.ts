// The documents about the API: OpenAPI, a page to read, a page about each failure. No token, nothing from other hosts.
import type { Context } from '../context.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { Html } from '../http/html.ts'
import { API, type PlainRoute } from '../http/router.ts'
import type { Services } from '../services.ts'
import { createOpenApiDocument } from './document.ts'
import { errorsPage } from './errors-page.ts'
import { referencePage } from './reference-page.ts'
import { STYLE } from './style.ts'

export function docsRoutes(endpoints: Endpoint[]): PlainRoute[] {
  return [
    {
      path: `${API}/openapi.json`,
      handle(ctx) {
        ctx.body = createOpenApiDocument(endpoints, ctx.state.baseUrl)
      },
    },
    {
      path: '/api/docs',
      handle: (ctx, services) =>
        sendHtml(ctx, referencePage(createOpenApiDocument(endpoints, ctx.state.baseUrl), rootOf(services))),
    },
    {
      path: '/api/docs/errors',
      handle: (ctx, services) => sendHtml(ctx, errorsPage(rootOf(services), ctx.state.baseUrl)),
    },
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

function rootOf({ config }: Services): string {
  return config.publicUrl ? new URL(config.publicUrl).pathname.replace(/\/$/, '') : ''
}

function sendHtml(ctx: Context, page: Html) {
  ctx.set(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = page.text
}
