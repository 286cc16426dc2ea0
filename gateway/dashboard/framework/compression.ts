// Which pages are sent as they are. The length of a compressed page tells what stands in it beside words that somebody else
// chose (BREACH): whoever listens needs to make the browser ask again and again, with words of theirs in the address.
import type { Context } from '../../context.ts'
import { isDashboardPath } from './addresses.ts'

/**
 * Those that another site makes the browser ask for, and answers to forms: they may hold what is shown only once. The token of
 * forms is masked anew for each page, for browsers that do not say which site it was.
 */
export function isSentAsItIs(ctx: Context): boolean {
  if (!isDashboardPath(ctx.path) || ctx.response.type !== 'text/html') return false
  const isForm = ctx.method !== 'GET' && ctx.method !== 'HEAD'
  return isForm || ['cross-site', 'same-site'].includes(ctx.get('Sec-Fetch-Site'))
}
