// Browsers in which an administrator has signed in before. A cookie identifies them, so that an attacker who
// fails on purpose cannot lock the administrator out. The cookie is not a session and gives no access.
import { randomBytes } from 'node:crypto'
import { deriveSecret, equalSecrets } from './secrets.ts'

type Account = { id: number; passwordHash: string }

export const KNOWN_BROWSER_SECONDS = 365 * 24 * 3600

const COOKIE_PATTERN = /^([\w-]{22}\.(\d{1,15}))\.([\w-]{43})$/

/** Returns the cookie's value. */
export function createKnownBrowser(account: Account, nowMs: number): string {
  const expires = Math.floor(nowMs / 1000) + KNOWN_BROWSER_SECONDS
  const browser = `${randomBytes(16).toString('base64url')}.${expires}`
  return `${browser}.${sign(browser, account)}`
}

/** False if the cookie cannot belong to any account. */
export function looksLikeKnownBrowser(cookie: string | undefined): boolean {
  return COOKIE_PATTERN.test(cookie ?? '')
}

/** The id of this account's browser; undefined if the cookie belongs to another account or has expired. */
export function findKnownBrowser(
  cookie: string | undefined,
  account: Account,
  nowMs: number,
): string | undefined {
  const [, browser = '', expires, signature = ''] = COOKIE_PATTERN.exec(cookie ?? '') ?? []
  const isKnown = equalSecrets(signature, sign(browser, account)) && Number(expires) * 1000 > nowMs
  return isKnown ? browser : undefined
}

// The key belongs to the account and depends on its password. So there is no secret to configure, and a new
// password makes all browsers unknown.
function sign(browser: string, { id, passwordHash }: Account): string {
  return deriveSecret({ secret: passwordHash }, `browser ${browser} of ${id}`).toString('base64url')
}
