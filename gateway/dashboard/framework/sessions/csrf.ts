// Keeps other sites from sending our forms: a form must come from one of our pages, and carry what only the browser
// that got it can know.
import type { Context } from '../../../context.ts'
import { PageFailure } from '../failure.ts'
import { deriveSecret, equalSecrets } from './secrets.ts'
import type { Viewer } from './sessions.ts'

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
    'Form not accepted',
    'This form was not sent from this dashboard. If it was, check the settings PUBLIC_URL and TRUST_PROXY.',
  )
}

export function requireToken(ctx: Context, viewer: Viewer, sent: string | undefined) {
  if (equalSecrets(ctx.get(HEADER) || sent || '', csrfToken(viewer))) return
  throw new PageFailure(
    403,
    'Form not accepted',
    'This form belongs to another session or has expired. Go back, reload the page and try again.',
  )
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
