// Addresses of pages: where the dashboard and the people's own pages are mounted, and where users may be sent after
// signing in.
import type { Config } from '../../../shared/settings/config.ts'

export const DASHBOARD = '/dashboard'
/** The people's own pages. */
export const MY = '/my'
/** Screens at doors and in lobbies, each at its secret address. */
export const SCREENS = '/screens'
/** Everything below these addresses is a page, or part of one. */
export const SITES = [DASHBOARD, MY, SCREENS] as const

// Bookmarks, and links in older mails.
const MOVED = [
  ['/settings/tokens', '/integrations/tokens'],
  ['/settings/webhooks', '/integrations/webhooks'],
  ['/api', '/integrations'],
] as const

/** The present path of a page whose path was another in earlier releases, relative to the dashboard. */
export function movedPath(path: string): string | undefined {
  const own = path.slice(DASHBOARD.length)
  const moved = MOVED.find(([old]) => own === old || own.startsWith(`${old}/`))
  return moved && moved[1] + own.slice(moved[0].length)
}

type Query = Record<string, string | number | undefined | null>

export const isBelow = (base: string, path: string) => path === base || path.startsWith(`${base}/`)

/** Whether a page is at this path, not an endpoint of the API. */
export const isPagePath = (path: string) => SITES.some((base) => isBelow(base, path))

/** The path of the service, if PUBLIC_URL contains one. */
export function rootPath({ publicUrl }: Config): string {
  return publicUrl ? new URL(publicUrl).pathname.replace(/\/$/, '') : ''
}

/** The address of a page. `root` is where its pages are mounted, and `path`, which may have a query, is relative to it. */
export function linkTo(root: string, path: string, query: Query = {}): string {
  const [bare = '', search = ''] = path.split('?')
  const parameters = new URLSearchParams(search)
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') parameters.delete(name)
    else parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return `${root}${bare === '/' ? '' : bare}${text ? `?${text}` : ''}`
}

/** The page that the user asked for before signing in, relative to `base`. The first page if the address is not below it. */
export function safeNextPath(next: string | undefined, base: string): string {
  if (!next?.startsWith('/') || !URL.canParse(next, 'http://berth.invalid')) return '/'
  // Parsed as a browser does: it takes //host and /\host for another host, and resolves dots.
  const { origin, pathname, search } = new URL(next, 'http://berth.invalid')
  if (origin !== 'http://berth.invalid' || !isBelow(base, pathname)) return '/'
  return (pathname.slice(base.length) || '/') + search
}
