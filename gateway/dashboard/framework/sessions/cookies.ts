// The dashboard's cookies: out of reach of scripts and of other sites, sent to the dashboard only.
import type { Context } from '../../../context.ts'
import { DASHBOARD } from '../addresses.ts'

export const COOKIES = {
  session: 'berth_session',
  viewer: 'berth_viewer',
  notice: 'berth_notice',
  knownBrowser: 'berth_known_browser',
  signInAttempt: 'berth_sign_in',
  language: 'berth_language',
} as const
type CookieName = (typeof COOKIES)[keyof typeof COOKIES]

export function readCookie(ctx: Context, name: CookieName): string | undefined {
  return ctx.cookies.get(nameOf(ctx, name))
}

/** Without a number of seconds it ends with the browser; zero takes it away. */
export function setCookie(
  ctx: Context,
  name: CookieName,
  value: string,
  { root, seconds }: { root: string; seconds?: number },
) {
  // Written here and not by Koa, which refuses to send a Secure cookie where a proxy in front speaks TLS for us.
  const parts = [
    `${nameOf(ctx, name)}=${value}`,
    `Path=${root}${DASHBOARD}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(ctx) ? ['Secure'] : []),
    ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
  ]
  ctx.append('Set-Cookie', parts.join('; '))
}

/** For a program of ours in the browser, below `path` only. It ends with the browser. */
export function setReadableCookie(ctx: Context, name: string, value: string, path: string) {
  const parts = [`${name}=${value}`, `Path=${path}`, 'SameSite=Strict', ...(isSecure(ctx) ? ['Secure'] : [])]
  ctx.append('Set-Cookie', parts.join('; '))
}

// The prefix keeps a page without TLS from planting one; __Host- would need the path /, and send it to the API too.
function nameOf(ctx: Context, name: CookieName): string {
  return isSecure(ctx) ? `__Secure-${name}` : name
}

function isSecure(ctx: Context): boolean {
  return ctx.state.baseUrl.startsWith('https:')
}
