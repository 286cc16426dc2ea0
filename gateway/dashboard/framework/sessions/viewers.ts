// Finds out who looks at a page by the cookie that came, and makes somebody out of a visitor who signs in or out.
import type { Context } from '../../../context.ts'
import type { House } from '../context.ts'
import { PageFailure } from '../failure.ts'
import { COOKIES, readCookie, setCookie } from './cookies.ts'
import { findAdmin, isSecret, LIVES_SECONDS_MAX, newSecret, type Visitor } from './sessions.ts'

// Koa's state is the core's, which knows no visitors.
const visitors = new WeakMap<Context, Visitor>()

/** Who looks at this page; undefined before it was found out. */
export function visitorOf(ctx: Context): Visitor | undefined {
  return visitors.get(ctx)
}

export async function identify(ctx: Context, { services, root }: House): Promise<Visitor> {
  const visitor = (await findSignedIn(ctx, services.primary)) ?? findStranger(ctx, root)
  return remember(ctx, visitor)
}

/** From here on this browser has that session; without one it is a stranger's. */
export function become(ctx: Context, secret: string | undefined, root: string) {
  const isEnd = secret === undefined
  setCookie(ctx, COOKIES.session, secret ?? '', { root, seconds: isEnd ? 0 : LIVES_SECONDS_MAX })
  remember(ctx, isEnd ? findStranger(ctx, root) : { secret, admin: undefined })
}

export function signedOut(): PageFailure {
  return new PageFailure(
    401,
    'You are signed out',
    'Your session has ended. Nothing was changed: sign in, and do it again.',
  )
}

function remember(ctx: Context, visitor: Visitor): Visitor {
  visitors.set(ctx, visitor)
  ctx.state.adminId = visitor.admin?.id
  return visitor
}

async function findSignedIn(
  ctx: Context,
  primary: House['services']['primary'],
): Promise<Visitor | undefined> {
  const secret = readCookie(ctx, COOKIES.session)
  if (!isSecret(secret)) return undefined
  const admin = await findAdmin(primary, secret)
  return admin && { secret, admin }
}

// Strangers get a cookie too: without one, another site could sign somebody in as somebody else.
function findStranger(ctx: Context, root: string): Visitor {
  const known = readCookie(ctx, COOKIES.visitor)
  if (isSecret(known)) return { secret: known, admin: undefined }
  const secret = newSecret()
  setCookie(ctx, COOKIES.visitor, secret, { root })
  return { secret, admin: undefined }
}
