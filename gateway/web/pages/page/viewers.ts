// Identifies the viewer of a page by cookie, and changes the cookie when the viewer signs in or out.

import type { Caller } from '../../../reads/connections/last-writes.ts'
import type { Context } from '../../../server/services/context.ts'
import { t } from '../../locales/translate.ts'
import { COOKIE_NAMES, readCookie, setCookie } from '../../sessions/cookies.ts'
import { PageFailure } from '../../sessions/failure.ts'
import { createKnownBrowser, KNOWN_BROWSER_SECONDS } from '../../sessions/known-browsers.ts'
import { createSecret, isSecret } from '../../sessions/secrets.ts'
import type { Viewer } from '../../sessions/sessions.ts'
import type { SiteContext } from './context.ts'

// The viewers by request. They are not in Koa's state, because the core code that declares this state knows
// nothing about viewers.
const viewers = new WeakMap<Context, Viewer>()

/** Returns the viewer of this page, or undefined before the viewer is identified. */
export function findViewer(ctx: Context): Viewer | undefined {
  return viewers.get(ctx)
}

export const isSignedIn = ({ admin, person }: Viewer) => (admin ?? person) !== undefined

export async function identifyViewer(ctx: Context, context: SiteContext): Promise<Viewer> {
  const viewer = (await findSignedIn(ctx, context)) ?? createAnonymousViewer(ctx, context.root)
  return setViewer(ctx, viewer)
}

/** Gives this browser the session of `secret`. Without a secret, signs the browser out. */
export function setSession(ctx: Context, secret: string | undefined, { root, site }: SiteContext) {
  const isEnd = secret === undefined
  setCookie(ctx, COOKIE_NAMES.session, secret ?? '', { root, seconds: isEnd ? 0 : site.sessionSeconds })
  setViewer(ctx, isEnd ? createAnonymousViewer(ctx, root) : { secret })
}

/** Marks the browser as one that has signed in to this account. */
export function rememberKnownBrowser(
  ctx: Context,
  account: { id: number; passwordHash: string },
  { services, root }: SiteContext,
) {
  const value = createKnownBrowser(account, services.now())
  setCookie(ctx, COOKIE_NAMES.knownBrowser, value, { root, seconds: KNOWN_BROWSER_SECONDS })
}

export function createSessionEndedFailure(): PageFailure {
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
  const secret = readCookie(ctx, COOKIE_NAMES.session)
  if (!isSecret(secret)) return undefined
  const found = await site.findSignedIn(services, secret)
  return found && { secret, ...found }
}

// Gives visitors who are not signed in a cookie too. Without this cookie, another site could sign them in to
// another account.
function createAnonymousViewer(ctx: Context, root: string): Viewer {
  const known = readCookie(ctx, COOKIE_NAMES.viewer)
  if (isSecret(known)) return { secret: known }
  const secret = createSecret()
  setCookie(ctx, COOKIE_NAMES.viewer, secret, { root })
  return { secret }
}

/**
 * Returns the viewer as a caller for reads, which then include the viewer's own changes. Returns undefined if the
 * viewer is not signed in.
 */
export function toCaller({ admin, person }: Omit<Viewer, 'secret'>): Caller | undefined {
  if (person) return { type: 'user', id: person.id }
  return admin && { type: 'admin', id: admin.id }
}
