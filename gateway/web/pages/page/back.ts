// Links back to the page that led to a form, so that a search is not lost. The address of a form may contain
// the address of the other page. The many links of a list contain only a mark, because browsers send the
// list's address as the referring page.
import { text } from '../../../../shared/schemas/fields.ts'
import type { Context } from '../../../server/services/context.ts'
import { isBelow, toSafePath } from '../../sessions/addresses.ts'
import type { Call } from './page.ts'

const ADDRESS_LENGTH_MAX = 2_000

export const backQuery = { back: text({ max: ADDRESS_LENGTH_MAX }) }

export type CallWithReturnPath = Call<unknown, { back?: string | undefined }>

const REFERRING_PAGE_MARK = '1'

/** Returns the page's address for the query of a link. Returns undefined if the page has no query, because
 * then there is no search to lose. */
export function findReturnAddress(call: Pick<Call, 'linkHere'>): string | undefined {
  return call.linkHere({ back: null }).includes('?') ? REFERRING_PAGE_MARK : undefined
}

/** Returns the query of a request with the address of the referring page added. */
export function addReferringPage(ctx: Context, root: string): string {
  const query = new URLSearchParams(ctx.search)
  if (query.get('back') !== REFERRING_PAGE_MARK) return ctx.search
  const address = findReferringPath(ctx.get('Referer'), root)
  if (address === undefined) query.delete('back')
  else query.set('back', address)
  return `?${query}`
}

/** Returns the path of the referring page, relative to `root`, under which the pages are mounted. */
function findReferringPath(referrer: string, root: string): string | undefined {
  if (!URL.canParse(referrer)) return undefined
  const { pathname, search } = new URL(referrer)
  const own = pathname.slice(root.length) + search
  // If the session has ended, the sign-in page comes between the list and this page.
  const isList = isBelow(root, pathname) && own.startsWith('/') && !own.startsWith('/sign-in')
  return isList && own.length <= ADDRESS_LENGTH_MAX ? own : undefined
}

/** Returns the path of the page that the user came from, relative to the dashboard, or else the fallback. */
export function findBackPath(call: Call, fallback: string): string {
  const back = readBack(call)
  return back === undefined ? fallback : toSafePath(call.base + back, call.base)
}

/** Returns the path of another page, including the address to return to. */
export function addReturnPath(call: Call, path: string): string {
  const back = readBack(call)
  return back === undefined ? path : `${path}?${new URLSearchParams({ back })}`
}

// Returns the address to return to, or undefined on pages without `backQuery`.
const readBack = ({ query }: Call) => (query as CallWithReturnPath['query']).back
