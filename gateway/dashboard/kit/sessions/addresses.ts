// Addresses of the dashboard: where it is mounted, and where users may be sent after signing in.
import type { Config } from '../../../../shared/settings/config.ts'

export const DASHBOARD = '/dashboard'

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

export function isDashboardPath(path: string): boolean {
  return path === DASHBOARD || path.startsWith(`${DASHBOARD}/`)
}

/** The path of the service, if PUBLIC_URL contains one. */
export function rootPath({ publicUrl }: Config): string {
  return publicUrl ? new URL(publicUrl).pathname.replace(/\/$/, '') : ''
}

/** The address of a page. `path` is relative to the dashboard, and may already have a query. */
export function linkTo(root: string, path: string, query: Query = {}): string {
  const [bare = '', search = ''] = path.split('?')
  const parameters = new URLSearchParams(search)
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') parameters.delete(name)
    else parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return `${root}${DASHBOARD}${bare === '/' ? '' : bare}${text ? `?${text}` : ''}`
}

/**
 * The page that the user asked for before signing in, relative to the dashboard. The first page if the
 * address is not one of the dashboard.
 */
export function safeNextPath(next: string | undefined): string {
  if (!next?.startsWith('/') || !URL.canParse(next, 'http://berth.invalid')) return '/'
  // Parsed as a browser does: it takes //host and /\host for another host, and resolves dots.
  const { origin, pathname, search } = new URL(next, 'http://berth.invalid')
  if (origin !== 'http://berth.invalid' || !isDashboardPath(pathname)) return '/'
  return (pathname.slice(DASHBOARD.length) || '/') + search
}
