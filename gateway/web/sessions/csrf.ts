// Keeps other sites from submitting Berth's forms: a form must come from one of Berth's pages, and contain a
// token that only the browser that received the page can know.
import { randomBytes } from 'node:crypto'
import type { Context } from '../../server/services/context.ts'
import { t } from '../locales/translate.ts'
import { PageFailure } from './failure.ts'
import { areSecretsEqual, deriveSecret } from './secrets.ts'
import type { Viewer } from './sessions.ts'

const CSRF_HEADER = 'X-CSRF-Token'
const TOKEN_BYTES = 32

// The tokens by viewer. Each request has its own viewer object, so all forms of one page share a token.
const tokensByViewer = new WeakMap<Viewer, string>()

/**
 * Returns the token, masked differently on each page, so that the length of a compressed page reveals nothing about it.
 * The form contains a random pad and the token masked with that pad.
 */
export function createCsrfToken(viewer: Viewer): string {
  const known = tokensByViewer.get(viewer)
  if (known) return known
  const pad = randomBytes(TOKEN_BYTES)
  const masked = Buffer.concat([pad, maskToken(deriveSecret(viewer, 'form'), pad)]).toString('base64url')
  tokensByViewer.set(viewer, masked)
  return masked
}

type WarningLog = { warn(about: object, text: string): void }

/** Refuses a form of another site before reading the body, to save the work. */
export function requireSameOrigin(ctx: Context, log: WarningLog, isForPeople: boolean) {
  const site = ctx.get('Sec-Fetch-Site')
  // Browsers send this header on HTTPS pages and to localhost, and no page can forge it. It works behind any proxy.
  if (site === 'same-origin') return
  if (site === '' && parseHost(ctx.get('Origin')) === parseHost(ctx.state.baseUrl)) return
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

/** Thrown if the form comes from Berth, but from another or an earlier session. */
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
  return areSecretsEqual(unmaskToken(ctx.get(CSRF_HEADER) || sent || ''), own)
}

function unmaskToken(sent: string): string {
  const bytes = Buffer.from(sent, 'base64url')
  if (bytes.length !== 2 * TOKEN_BYTES) return ''
  return maskToken(bytes.subarray(TOKEN_BYTES), bytes.subarray(0, TOKEN_BYTES)).toString('base64url')
}

function maskToken(bytes: Buffer, pad: Buffer): Buffer {
  return bytes.map((byte, index) => byte ^ (pad[index] ?? 0)) as Buffer
}

function parseHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
