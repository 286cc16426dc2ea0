// Addresses of pages: where the dashboard and people's own pages are mounted, and where users may be
// redirected after signing in.
import type { Config } from '../../../shared/settings/config.ts'

export const DASHBOARD_PATH = '/dashboard'
/** The path of people's own pages. */
export const MY_PAGES_PATH = '/my'
/** The path of screens at doors and in lobbies, each of which has a secret address. */
export const SCREENS = '/screens'
/** The paths of all sites. Everything below these paths is a page or part of a page. */
export const SITE_PATHS = [DASHBOARD_PATH, MY_PAGES_PATH, SCREENS] as const

// Pages that have moved. Bookmarks and older mails link to their former paths.
const MOVED_PAGES = [
  ['/settings/tokens', '/integrations/tokens'],
  ['/settings/webhooks', '/integrations/webhooks'],
  ['/api', '/integrations'],
] as const

/** Finds the current path of a page that had another path in earlier releases. Paths are relative to the dashboard. */
export function findMovedPath(path: string): string | undefined {
  const own = path.slice(DASHBOARD_PATH.length)
  const moved = MOVED_PAGES.find(([old]) => own === old || own.startsWith(`${old}/`))
  return moved && moved[1] + own.slice(moved[0].length)
}

type LinkQuery = Record<string, string | number | undefined | null>

export const isBelow = (base: string, path: string) => path === base || path.startsWith(`${base}/`)

/** Returns whether this path belongs to a page, rather than to an endpoint of the API. */
export const isPagePath = (path: string) => SITE_PATHS.some((base) => isBelow(base, path))

/** Returns the path under which Berth is served, if PUBLIC_URL contains one. */
export function findRootPath({ publicUrl }: Config): string {
  return publicUrl ? new URL(publicUrl).pathname.replace(/\/$/, '') : ''
}

/**
 * Returns the address of a page. `root` is where the page's site is mounted, and `path`, which may have a query, is
 * relative to it.
 */
export function linkTo(root: string, path: string, query: LinkQuery = {}): string {
  const [bare = '', search = ''] = path.split('?')
  const parameters = new URLSearchParams(search)
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') parameters.delete(name)
    else parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return `${root}${bare === '/' ? '' : bare}${text ? `?${text}` : ''}`
}

/** Returns the page that the user requested before signing in, relative to `base`. If the address is not
 * below `base`, returns the start page. */
export function toSafePath(next: string | undefined, base: string): string {
  if (!next?.startsWith('/') || !URL.canParse(next, 'http://berth.invalid')) return '/'
  // Parses the address the way a browser does: a browser treats //host and /\host as another host, and
  // resolves dots.
  const { origin, pathname, search } = new URL(next, 'http://berth.invalid')
  if (origin !== 'http://berth.invalid' || !isBelow(base, pathname)) return '/'
  return (pathname.slice(base.length) || '/') + search
}
