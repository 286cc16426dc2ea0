// Identifies the viewer of a page by cookie, and changes the cookie when they sign in or out.

import type { Caller } from '../../../reads/connections/last-writes.ts'
import type { Context } from '../../../server/services/context.ts'
import { t } from '../../locales/translate.ts'
import { COOKIES, readCookie, setCookie } from '../../sessions/cookies.ts'
import { PageFailure } from '../../sessions/failure.ts'
import { createKnownBrowser, KNOWN_BROWSER_SECONDS } from '../../sessions/known-browsers.ts'
import { createSecret, isSecret } from '../../sessions/secrets.ts'
import type { Viewer } from '../../sessions/sessions.ts'
import type { SiteContext } from './context.ts'

// Koa's state belongs to the core, which does not know viewers.
const viewers = new WeakMap<Context, Viewer>()

/** The viewer of this page; undefined before they are identified. */
export function viewerOf(ctx: Context): Viewer | undefined {
  return viewers.get(ctx)
}

export const isSignedIn = ({ admin, person }: Viewer) => (admin ?? person) !== undefined

export async function identify(ctx: Context, context: SiteContext): Promise<Viewer> {
  const viewer = (await findSignedIn(ctx, context)) ?? findAnonymous(ctx, context.root)
  return setViewer(ctx, viewer)
}

/** Gives this browser the session of `secret`; without a secret it is signed out. */
export function setSession(ctx: Context, secret: string | undefined, { root, site }: SiteContext) {
  const isEnd = secret === undefined
  setCookie(ctx, COOKIES.session, secret ?? '', { root, seconds: isEnd ? 0 : site.sessionSeconds })
  setViewer(ctx, isEnd ? findAnonymous(ctx, root) : { secret })
}

/** Marks the browser as one that has signed in to this account. */
export function rememberBrowser(
  ctx: Context,
  account: { id: number; passwordHash: string },
  { services, root }: SiteContext,
) {
  const value = createKnownBrowser(account, services.now())
  setCookie(ctx, COOKIES.knownBrowser, value, { root, seconds: KNOWN_BROWSER_SECONDS })
}

export function sessionEnded(): PageFailure {
  return new PageFailure(
    401,
    t`You are signed out`,
    t`Your session has ended. Nothing was changed. Sign in and try again.`,
  )
}

function setViewer(ctx: Context, viewer: Viewer): Viewer {
  viewers.set(ctx, viewer)
  ctx.state.adminId = viewer.admin?.id
  return viewer
}

async function findSignedIn(ctx: Context, { services, site }: SiteContext): Promise<Viewer | undefined> {
  const secret = readCookie(ctx, COOKIES.session)
  if (!isSecret(secret)) return undefined
  const found = await site.findSignedIn(services, secret)
  return found && { secret, ...found }
}

// Visitors who are not signed in get a cookie too. Without it, another site could sign them in to another
// account.
function findAnonymous(ctx: Context, root: string): Viewer {
  const known = readCookie(ctx, COOKIES.viewer)
  if (isSecret(known)) return { secret: known }
  const secret = createSecret()
  setCookie(ctx, COOKIES.viewer, secret, { root })
  return { secret }
}

/**
 * The caller for reads, which then include the caller's own changes. Undefined if the viewer is not signed
 * in.
 */
export function callerOf({ admin, person }: Omit<Viewer, 'secret'>): Caller | undefined {
  if (person) return { type: 'user', id: person.id }
  return admin && { type: 'admin', id: admin.id }
}
