// Browsers in which an administrator has signed in before. A cookie identifies them, so that an attacker who
// deliberately fails to sign in cannot lock the administrator out. The cookie is not a session and gives no
// access.
import { randomBytes } from 'node:crypto'
import { areSecretsEqual, deriveSecret } from './secrets.ts'

type BrowserAccount = { id: number; passwordHash: string }

export const KNOWN_BROWSER_SECONDS = 365 * 24 * 3600

const COOKIE_PATTERN = /^([\w-]{22}\.(\d{1,15}))\.([\w-]{43})$/

/** Creates the value of a known browser's cookie. */
export function createKnownBrowser(account: BrowserAccount, nowMs: number): string {
  const expires = Math.floor(nowMs / 1000) + KNOWN_BROWSER_SECONDS
  const browser = `${randomBytes(16).toString('base64url')}.${expires}`
  return `${browser}.${signKnownBrowser(browser, account)}`
}

/** Returns false if the cookie cannot belong to any account. */
export function hasKnownBrowserFormat(cookie: string | undefined): boolean {
  return COOKIE_PATTERN.test(cookie ?? '')
}

/** Returns the id of this account's browser, or undefined if the cookie belongs to another account or has expired. */
export function findKnownBrowser(
  cookie: string | undefined,
  account: BrowserAccount,
  nowMs: number,
): string | undefined {
  const [, browser = '', expires, signature = ''] = COOKIE_PATTERN.exec(cookie ?? '') ?? []
  const isKnown =
    areSecretsEqual(signature, signKnownBrowser(browser, account)) && Number(expires) * 1000 > nowMs
  return isKnown ? browser : undefined
}

// Signs with a key that belongs to the account and depends on its password. So no secret has to be
// configured, and a new password makes all browsers unknown.
function signKnownBrowser(browser: string, { id, passwordHash }: BrowserAccount): string {
  return deriveSecret({ secret: passwordHash }, `browser ${browser} of ${id}`).toString('base64url')
}
