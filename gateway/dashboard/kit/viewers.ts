// Identifies the viewer of a page by cookie, and changes the cookie when they sign in or out.

import type { Caller } from '../../data/last-writes.ts'
import type { Context } from '../../services/context.ts'
import { t } from '../locales/translate.ts'
import type { DashboardContext } from './context.ts'
import { COOKIES, readCookie, setCookie } from './sessions/cookies.ts'
import { PageFailure } from './sessions/failure.ts'
import { createKnownBrowser, KNOWN_BROWSER_SECONDS } from './sessions/known-browsers.ts'
import { createSecret, isSecret } from './sessions/secrets.ts'
import { findAdmin, SESSION_SECONDS_MAX, type Viewer } from './sessions/sessions.ts'

// Koa's state belongs to the core, which does not know viewers.
const viewers = new WeakMap<Context, Viewer>()

/** The viewer of this page; undefined before they are identified. */
export function viewerOf(ctx: Context): Viewer | undefined {
  return viewers.get(ctx)
}

export async function identify(ctx: Context, { services, root }: DashboardContext): Promise<Viewer> {
  const viewer = (await findSignedIn(ctx, services)) ?? findAnonymous(ctx, root)
  return setViewer(ctx, viewer)
}

/** Gives this browser the session of `secret`; without a secret it is signed out. */
export function setSession(ctx: Context, secret: string | undefined, root: string) {
  const isEnd = secret === undefined
  setCookie(ctx, COOKIES.session, secret ?? '', { root, seconds: isEnd ? 0 : SESSION_SECONDS_MAX })
  setViewer(ctx, isEnd ? findAnonymous(ctx, root) : { secret, admin: undefined })
}

/** Marks the browser as one that has signed in to this account. */
export function rememberBrowser(
  ctx: Context,
  account: { id: number; passwordHash: string },
  { services, root }: DashboardContext,
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

async function findSignedIn(
  ctx: Context,
  { reserved }: DashboardContext['services'],
): Promise<Viewer | undefined> {
  const secret = readCookie(ctx, COOKIES.session)
  if (!isSecret(secret)) return undefined
  const admin = await findAdmin(reserved.authentication, secret)
  return admin && { secret, admin }
}

// Visitors who are not signed in get a cookie too. Without it, another site could sign them in to another
// account.
function findAnonymous(ctx: Context, root: string): Viewer {
  const known = readCookie(ctx, COOKIES.viewer)
  if (isSecret(known)) return { secret: known, admin: undefined }
  const secret = createSecret()
  setCookie(ctx, COOKIES.viewer, secret, { root })
  return { secret, admin: undefined }
}

/**
 * The caller for reads, which then include the caller's own changes. Undefined if the viewer is not signed
 * in.
 */
export function callerOf({ admin }: Pick<Viewer, 'admin'>): Caller | undefined {
  return admin && { type: 'admin', id: admin.id }
}
