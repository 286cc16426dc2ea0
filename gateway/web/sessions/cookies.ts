// The cookies of pages: hidden from scripts and other sites, and sent to the dashboard or to the people's own pages only.

import { isLanguage, type Language, preferredLanguage } from '../../../shared/messages/languages.ts'
import { unknownPath } from '../../../shared/messages/refusal.ts'
import type { Context } from '../../server/services/context.ts'
import { linkTo, safeNextPath } from './addresses.ts'

export const COOKIES = {
  session: 'berth_session',
  viewer: 'berth_viewer',
  notice: 'berth_notice',
  knownBrowser: 'berth_known_browser',
  signInAttempt: 'berth_sign_in',
  language: 'berth_language',
  sidebar: 'berth_sidebar',
  next: 'berth_next',
} as const
/** Where pages are mounted in the gateway, and the same path as browsers see it. */
export type Mount = { base: string; root: string }

type CookieName = (typeof COOKIES)[keyof typeof COOKIES]

export function readCookie(ctx: Context, name: CookieName): string | undefined {
  return ctx.cookies.get(nameOf(ctx, name))
}

/** Without `seconds`, the cookie ends with the browser session. Zero deletes it. */
export function setCookie(
  ctx: Context,
  name: CookieName,
  value: string,
  { root, seconds }: Pick<Mount, 'root'> & { seconds?: number },
) {
  // Not written by Koa, which refuses to send a Secure cookie if a proxy in front handles TLS.
  const parts = [
    `${nameOf(ctx, name)}=${value}`,
    `Path=${root}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(ctx) ? ['Secure'] : []),
    ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
  ]
  ctx.append('Set-Cookie', parts.join('; '))
}

// The prefix keeps a page without TLS from planting a cookie. __Host- would require the path /, so that the
// API would receive the cookie too.
function nameOf(ctx: Context, name: CookieName): string {
  return isSecure(ctx) ? `__Secure-${name}` : name
}

function isSecure(ctx: Context): boolean {
  return ctx.state.baseUrl.startsWith('https:')
}

const NEXT_SECONDS = 15 * 60

/** The page that somebody asked for who must sign in first, for as long as a link in a mail takes. */
export function rememberNext(ctx: Context, { root }: Mount) {
  setCookie(ctx, COOKIES.next, Buffer.from(ctx.url).toString('base64url'), { root, seconds: NEXT_SECONDS })
}

/** The remembered page, once; else the first one. */
export function takeNext(ctx: Context, { root, base }: Mount): string {
  const kept = readCookie(ctx, COOKIES.next)
  if (kept === undefined) return '/'
  setCookie(ctx, COOKIES.next, '', { root, seconds: 0 })
  return safeNextPath(Buffer.from(kept, 'base64url').toString(), base)
}

export const LANGUAGE_PATH = '/language/:language'
const YEAR_SECONDS = 365 * 24 * 3_600

export function languageOf(ctx: Context): Language {
  ctx.vary('Accept-Language')
  const chosen = readCookie(ctx, COOKIES.language)
  return isLanguage(chosen) ? chosen : preferredLanguage(ctx.get('Accept-Language'))
}

/** Chosen with a link, so that it works before signing in. Redirects to the page that had the link. */
export function chooseLanguage(ctx: Context, language: string, mount: Mount) {
  if (!isLanguage(language)) throw unknownPath(ctx.path)
  remember(ctx, COOKIES.language, language, mount)
}

export const SIDEBAR_PATH = '/sidebar/:width'

export function hasNarrowSidebar(ctx: Context): boolean {
  return readCookie(ctx, COOKIES.sidebar) === 'narrow'
}

export function chooseSidebar(ctx: Context, width: string, mount: Mount) {
  if (width !== 'narrow' && width !== 'wide') throw unknownPath(ctx.path)
  remember(ctx, COOKIES.sidebar, width, mount)
}

function remember(ctx: Context, name: CookieName, value: string, { root, base }: Mount) {
  const [next] = [ctx.query['next'] ?? []].flat()
  setCookie(ctx, name, value, { root, seconds: YEAR_SECONDS })
  ctx.redirect(linkTo(root, safeNextPath(next, base)))
}
