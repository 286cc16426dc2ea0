// An attempt to sign in through the provider, in the browser that began it: a cookie holds its secret for as long as signing in
// may take, and what the provider has to send back is derived from it. Another browser can do nothing with an answer to it.
import type { Context } from '../../../context.ts'
import { COOKIES, readCookie, setCookie } from '../sessions/cookies.ts'
import { createSecret, deriveSecret, isSecret } from '../sessions/secrets.ts'

const LIFETIME_SECONDS = 10 * 60
// A cookie has 4 KiB.
const NEXT_LENGTH_MAX = 1_000

export type Attempt = {
  secret: string
  /** The page that was wanted, below the dashboard. */
  next: string
  state: string
  nonce: string
  /** Of PKCE: the provider trades the code for this only. */
  verifier: string
}

export function createAttempt(next: string): Attempt {
  return attemptOf(createSecret(), next.length > NEXT_LENGTH_MAX ? '/' : next)
}

export function storeAttempt(ctx: Context, { secret, next }: Attempt, root: string) {
  const value = `${secret}.${Buffer.from(next).toString('base64url')}`
  setCookie(ctx, COOKIES.signInAttempt, value, { root, seconds: LIFETIME_SECONDS })
}

/** Reads it, and takes it away: each is for one answer. */
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
