// An attempt to sign in through the provider, bound to the browser that began it. A cookie holds its secret
// for as long as signing in may take, and what the provider must send back is derived from it. An answer to
// the attempt is useless in another browser.
import type { Context } from '../../../services/context.ts'
import { COOKIES, readCookie, setCookie } from './cookies.ts'
import { createSecret, deriveSecret, isSecret } from './secrets.ts'

const LIFETIME_SECONDS = 10 * 60
// A cookie is limited to 4 KiB.
const NEXT_LENGTH_MAX = 1_000

export type Attempt = {
  secret: string
  /** The requested page, relative to the dashboard. */
  next: string
  state: string
  nonce: string
  /** For PKCE: the provider accepts the code only with this verifier. */
  verifier: string
}

export function createAttempt(next: string): Attempt {
  return attemptOf(createSecret(), next.length > NEXT_LENGTH_MAX ? '/' : next)
}

export function storeAttempt(ctx: Context, { secret, next }: Attempt, root: string) {
  const value = `${secret}.${Buffer.from(next).toString('base64url')}`
  setCookie(ctx, COOKIES.signInAttempt, value, { root, seconds: LIFETIME_SECONDS })
}

/** Reads the attempt and deletes it: each is valid for one answer. */
export function takeAttempt(ctx: Context, root: string): Attempt | undefined {
  const cookie = readCookie(ctx, COOKIES.signInAttempt)
  if (cookie === undefined) return undefined
  setCookie(ctx, COOKIES.signInAttempt, '', { root, seconds: 0 })
  const [secret, next = ''] = cookie.split('.')
  return isSecret(secret) ? attemptOf(secret, Buffer.from(next, 'base64url').toString()) : undefined
}

function attemptOf(secret: string, next: string): Attempt {
  const derive = (purpose: string) => deriveSecret({ secret }, `sign-in ${purpose}`).toString('base64url')
  return { secret, next, state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}
