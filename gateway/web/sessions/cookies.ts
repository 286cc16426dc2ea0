// The cookies of pages. Scripts and other sites cannot read them, and browsers send them only to the
// dashboard or only to people's own pages.

import { findPreferredLanguage, isLanguage, type Language } from '../../../shared/messages/languages.ts'
import { createUnknownPathRefusal } from '../../../shared/messages/refusal.ts'
import type { Context } from '../../server/services/context.ts'
import { linkTo, toSafePath } from './addresses.ts'

export const COOKIE_NAMES = {
  session: 'berth_session',
  viewer: 'berth_viewer',
  notice: 'berth_notice',
  knownBrowser: 'berth_known_browser',
  signInAttempt: 'berth_sign_in',
  language: 'berth_language',
  sidebar: 'berth_sidebar',
  next: 'berth_next',
} as const
/** The path at which pages are mounted in the gateway, and the same path as browsers see it. */
export type MountPath = { base: string; root: string }

type CookieName = (typeof COOKIE_NAMES)[keyof typeof COOKIE_NAMES]

export function readCookie(ctx: Context, name: CookieName): string | undefined {
  return ctx.cookies.get(formatCookieName(ctx, name))
}

/** Sets a cookie. If `seconds` is omitted, the cookie ends with the browser session. Zero deletes the cookie. */
export function setCookie(
  ctx: Context,
  name: CookieName,
  value: string,
  { root, seconds }: Pick<MountPath, 'root'> & { seconds?: number },
) {
  // Writes the header itself, because Koa refuses to send a Secure cookie if a proxy in front of it handles TLS.
  const parts = [
    `${formatCookieName(ctx, name)}=${value}`,
    `Path=${root}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(ctx) ? ['Secure'] : []),
    ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
  ]
  ctx.append('Set-Cookie', parts.join('; '))
}

// Returns the cookie's name with a prefix, which prevents an HTTP page from setting the cookie. __Host- would
// require the path /, so that the API would receive the cookie too.
function formatCookieName(ctx: Context, name: CookieName): string {
  return isSecure(ctx) ? `__Secure-${name}` : name
}

function isSecure(ctx: Context): boolean {
  return ctx.state.baseUrl.startsWith('https:')
}

const REQUESTED_PATH_SECONDS = 15 * 60

/** Remembers the page that a user requested before signing in, for as long as a link in a mail is valid. */
export function rememberRequestedPath(ctx: Context, { root }: MountPath) {
  setCookie(ctx, COOKIE_NAMES.next, Buffer.from(ctx.url).toString('base64url'), {
    root,
    seconds: REQUESTED_PATH_SECONDS,
  })
}

/** Returns the remembered page and forgets it. Defaults to the start page. */
export function readAndForgetRequestedPath(ctx: Context, { root, base }: MountPath): string {
  const kept = readCookie(ctx, COOKIE_NAMES.next)
  if (kept === undefined) return '/'
  setCookie(ctx, COOKIE_NAMES.next, '', { root, seconds: 0 })
  return toSafePath(Buffer.from(kept, 'base64url').toString(), base)
}

export const LANGUAGE_PATH = '/language/:language'
const PREFERENCE_SECONDS = 365 * 24 * 3_600

export function findLanguage(ctx: Context): Language {
  ctx.vary('Accept-Language')
  const chosen = readCookie(ctx, COOKIE_NAMES.language)
  return isLanguage(chosen) ? chosen : findPreferredLanguage(ctx.get('Accept-Language'))
}

/**
 * Stores a language that the user has chosen with a link, which works before signing in. Redirects to the page that had
 * the link.
 */
export function chooseLanguage(ctx: Context, language: string, mount: MountPath) {
  if (!isLanguage(language)) throw createUnknownPathRefusal(ctx.path)
  storePreference(ctx, COOKIE_NAMES.language, language, mount)
}

export const SIDEBAR_PATH = '/sidebar/:width'

export function hasNarrowSidebar(ctx: Context): boolean {
  return readCookie(ctx, COOKIE_NAMES.sidebar) === 'narrow'
}

export function chooseSidebar(ctx: Context, width: string, mount: MountPath) {
  if (width !== 'narrow' && width !== 'wide') throw createUnknownPathRefusal(ctx.path)
  storePreference(ctx, COOKIE_NAMES.sidebar, width, mount)
}

function storePreference(ctx: Context, name: CookieName, value: string, { root, base }: MountPath) {
  const [next] = [ctx.query['next'] ?? []].flat()
  setCookie(ctx, name, value, { root, seconds: PREFERENCE_SECONDS })
  ctx.redirect(linkTo(root, toSafePath(next, base)))
}
