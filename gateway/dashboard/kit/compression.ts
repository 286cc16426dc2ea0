// Decides which pages are sent uncompressed. The length of a compressed page reveals its content if it also
// contains text that an attacker chose (BREACH). Such an attacker must make the browser request the page many
// times, with their text in the address.
import type { Context } from '../../services/context.ts'
import { isDashboardPath } from './sessions/addresses.ts'

/**
 * Pages that another site makes the browser request, and answers to forms, which may contain what is shown
 * only once. For browsers that do not send the site, the token of forms is masked anew on each page.
 */
export function skipsCompression(ctx: Context): boolean {
  if (!isDashboardPath(ctx.path) || ctx.response.type !== 'text/html') return false
  const isForm = ctx.method !== 'GET' && ctx.method !== 'HEAD'
  return isForm || ['cross-site', 'same-site'].includes(ctx.get('Sec-Fetch-Site'))
}
