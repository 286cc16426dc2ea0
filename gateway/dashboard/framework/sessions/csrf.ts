// Keeps other sites from sending our forms: a form must come from one of our pages, and carry what only the browser
// that got it can know.
import { timingSafeEqual } from 'node:crypto'
import type { Context } from '../../../context.ts'
import { PageFailure } from '../failure.ts'
import { deriveSecret, type Viewer } from './sessions.ts'

const HEADER = 'X-CSRF-Token'

export function csrfToken(viewer: Viewer): string {
  return deriveSecret(viewer, 'form').toString('base64url')
}

/** Before the body is read: whoever sends from elsewhere is not listened to. */
export function requireSameOrigin(ctx: Context) {
  const site = ctx.get('Sec-Fetch-Site')
  // Browsers send it over TLS and to localhost, and no page can forge it. It holds behind any proxy.
  if (site === 'same-origin') return
  if (site === '' && hostOf(ctx.get('Origin')) === hostOf(ctx.state.baseUrl)) return
  throw new PageFailure(
    403,
    'Not sent from here',
    'This form was not sent from a page of this dashboard. If it was, PUBLIC_URL or TRUST_PROXY must be set right.',
  )
}

export function requireToken(ctx: Context, viewer: Viewer, sent: string | undefined) {
  const expected = Buffer.from(csrfToken(viewer))
  const actual = Buffer.from(ctx.get(HEADER) || sent || '')
  if (actual.length === expected.length && timingSafeEqual(actual, expected)) return
  throw new PageFailure(
    403,
    'Not sent from here',
    'This form belongs to another session, or is too old. Go back, reload the page and send it again.',
  )
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
