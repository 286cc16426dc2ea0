// Browsers in which an administrator has signed in before: a cookie tells them, so that nobody who fails on purpose can
// keep that administrator out. It is no session and opens nothing.
import { randomBytes } from 'node:crypto'
import { deriveSecret, equalSecrets } from './secrets.ts'

type Account = { id: number; passwordHash: string }

export const KNOWN_BROWSER_SECONDS = 365 * 24 * 3600

const WRITTEN = /^([\w-]{22}\.(\d{1,15}))\.([\w-]{43})$/

/** The cookie's value. */
export function createKnownBrowser(account: Account, nowMs: number): string {
  const expires = Math.floor(nowMs / 1000) + KNOWN_BROWSER_SECONDS
  const browser = `${randomBytes(16).toString('base64url')}.${expires}`
  return `${browser}.${sign(browser, account)}`
}

/** False where it is none of any account. */
export function isWrittenLikeKnownBrowser(cookie: string | undefined): boolean {
  return WRITTEN.test(cookie ?? '')
}

/** Which browser of this account it is; undefined where it is none. */
export function findKnownBrowser(
  cookie: string | undefined,
  account: Account,
  nowMs: number,
): string | undefined {
  const [, browser = '', expires, signature = ''] = WRITTEN.exec(cookie ?? '') ?? []
  const isKnown = equalSecrets(signature, sign(browser, account)) && Number(expires) * 1000 > nowMs
  return isKnown ? browser : undefined
}

// The key is the account's own, and ends with its password: there is no secret of the service to configure, and whoever
// sets a new password makes all browsers unknown.
function sign(browser: string, { id, passwordHash }: Account): string {
  return deriveSecret({ secret: passwordHash }, `browser ${browser} of ${id}`).toString('base64url')
}
