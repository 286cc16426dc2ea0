// The way back: the address of a form may contain that of the page that led to it, so that a search is not lost. The many
// links of a list only say that there is one: browsers send its address as the referring page.
import { text } from '../../../../shared/schemas/fields.ts'
import type { Context } from '../../../server/services/context.ts'
import { isBelow, safeNextPath } from '../../sessions/addresses.ts'
import type { Call } from './page.ts'

const ADDRESS_MAX = 2_000

export const backQuery = { back: text({ max: ADDRESS_MAX }) }

export type Returning = Call<unknown, { back?: string | undefined }>

const REFERRING_PAGE = '1'

/** For the query of a link. Undefined if the page has no query, and so nothing to lose. */
export function hereAsBack(call: Pick<Call, 'linkHere'>): string | undefined {
  return call.linkHere({ back: null }).includes('?') ? REFERRING_PAGE : undefined
}

/** The query of a request, in which the referring page has its address. */
export function withReferringPage(ctx: Context, root: string): string {
  const query = new URLSearchParams(ctx.search)
  if (query.get('back') !== REFERRING_PAGE) return ctx.search
  const address = referringPath(ctx.get('Referer'), root)
  if (address === undefined) query.delete('back')
  else query.set('back', address)
  return `?${query}`
}

/** Relative to `root`, where the pages are mounted. */
function referringPath(referrer: string, root: string): string | undefined {
  if (!URL.canParse(referrer)) return undefined
  const { pathname, search } = new URL(referrer)
  const own = pathname.slice(root.length) + search
  // Signing in comes between the list and the page if the session has ended.
  const isList = isBelow(root, pathname) && own.startsWith('/') && !own.startsWith('/sign-in')
  return isList && own.length <= ADDRESS_MAX ? own : undefined
}

/** The path of the page that the user came from, relative to the dashboard, or the fallback. */
export function backPath(call: Call, fallback: string): string {
  const back = backOf(call)
  return back === undefined ? fallback : safeNextPath(call.base + back, call.base)
}

/** The path of another page, with the address to return to. */
export function withReturnPath(call: Call, path: string): string {
  const back = backOf(call)
  return back === undefined ? path : `${path}?${new URLSearchParams({ back })}`
}

// Undefined on pages without `backQuery`.
const backOf = ({ query }: Call) => (query as Returning['query']).back
