// The language of a visitor: the one they chose in this browser, or else the one that the browser prefers.

import { isLanguage, type Language, preferredLanguage } from '../../../../shared/messages/languages.ts'
import { unknownPath } from '../../../../shared/messages/refusal.ts'
import type { Context } from '../../../services/context.ts'
import { DASHBOARD, linkTo, safeNextPath } from './addresses.ts'
import { COOKIES, readCookie, setCookie } from './cookies.ts'

export const LANGUAGE_PATH = `${DASHBOARD}/language/:language`
const YEAR_SECONDS = 365 * 24 * 3_600

export function languageOf(ctx: Context): Language {
  ctx.vary('Accept-Language')
  const chosen = readCookie(ctx, COOKIES.language)
  return isLanguage(chosen) ? chosen : preferredLanguage(ctx.get('Accept-Language'))
}

/** Chosen with a link, so that it works before signing in. Redirects to the page that had the link. */
export function chooseLanguage(ctx: Context, language: string, root: string) {
  if (!isLanguage(language)) throw unknownPath(ctx.path)
  const [next] = [ctx.query['next'] ?? []].flat()
  setCookie(ctx, COOKIES.language, language, { root, seconds: YEAR_SECONDS })
  ctx.redirect(linkTo(root, safeNextPath(next)))
}
