// Keeps other sites from submitting our forms: a form must come from one of our pages, and contain a token
// that only the browser that received the page can know.
import { randomBytes } from 'node:crypto'
import type { Context } from '../../server/services/context.ts'
import { t } from '../locales/translate.ts'
import { PageFailure } from './failure.ts'
import { deriveSecret, equalSecrets } from './secrets.ts'
import type { Viewer } from './sessions.ts'

const HEADER = 'X-CSRF-Token'
const TOKEN_BYTES = 32

// Each request has its own viewer, so all forms of one page share a token.
const tokens = new WeakMap<Viewer, string>()

/**
 * Masks the token differently on each page, so that the length of a compressed page reveals nothing about it:
 * the form contains a random pad and the token masked with it.
 */
export function csrfToken(viewer: Viewer): string {
  const known = tokens.get(viewer)
  if (known) return known
  const pad = randomBytes(TOKEN_BYTES)
  const masked = Buffer.concat([pad, mask(deriveSecret(viewer, 'form'), pad)]).toString('base64url')
  tokens.set(viewer, masked)
  return masked
}

type Log = { warn(about: object, text: string): void }

/** Checked before the body is read, to save the work for requests from other sites. */
export function requireSameOrigin(ctx: Context, log: Log, isForPeople: boolean) {
  const site = ctx.get('Sec-Fetch-Site')
  // Browsers send this header over TLS and to localhost, and no page can forge it. It works behind any proxy.
  if (site === 'same-origin') return
  if (site === '' && hostOf(ctx.get('Origin')) === hostOf(ctx.state.baseUrl)) return
  const { requestId } = ctx.state
  log.warn({ requestId }, 'A form was not sent from our pages. If it was, check PUBLIC_URL and TRUST_PROXY.')
  throw new PageFailure(
    403,
    t`Form not accepted`,
    isForPeople
      ? t`This form was not sent from this page. Reload the page and try again.`
      : t`This form was not sent from this dashboard. If it was, check the settings PUBLIC_URL and TRUST_PROXY.`,
  )
}

/** The form is one of ours, but from another or an earlier session. */
export class StaleForm extends PageFailure {
  constructor() {
    super(
      403,
      t`Form not accepted`,
      t`This form belongs to another session or has expired. Nothing was changed.`,
    )
  }
}

export function requireToken(ctx: Context, viewer: Viewer, sent: string | undefined) {
  if (!hasValidToken(ctx, viewer, sent)) throw new StaleForm()
}

export function hasValidToken(ctx: Context, viewer: Viewer, sent: string | undefined): boolean {
  const own = deriveSecret(viewer, 'form').toString('base64url')
  return equalSecrets(unmask(ctx.get(HEADER) || sent || ''), own)
}

function unmask(sent: string): string {
  const bytes = Buffer.from(sent, 'base64url')
  if (bytes.length !== 2 * TOKEN_BYTES) return ''
  return mask(bytes.subarray(TOKEN_BYTES), bytes.subarray(0, TOKEN_BYTES)).toString('base64url')
}

function mask(bytes: Buffer, pad: Buffer): Buffer {
  return bytes.map((byte, index) => byte ^ (pad[index] ?? 0)) as Buffer
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
