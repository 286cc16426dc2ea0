// Addresses of the dashboard: where it lies, and where somebody may be sent after signing in.
import type { Config } from '../../../shared/config.ts'

export const DASHBOARD = '/dashboard'

type Query = Record<string, string | number | undefined | null>

export function isDashboardPath(path: string): boolean {
  return path === DASHBOARD || path.startsWith(`${DASHBOARD}/`)
}

/** The path below which the service is reached, where PUBLIC_URL has one. */
export function rootPath({ publicUrl }: Config): string {
  return publicUrl ? new URL(publicUrl).pathname.replace(/\/$/, '') : ''
}

/** The address of a page: `path` is below the dashboard, and may have a query already. */
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

/** The page that somebody wanted before signing in, below the dashboard; the first one where it is none of ours. */
export function safeNextPath(next: string | undefined): string {
  if (!next?.startsWith('/') || !URL.canParse(next, 'http://berth.invalid')) return '/'
  // Parsed as a browser would: it takes //host and /\host for another machine, and folds dots.
  const { origin, pathname, search } = new URL(next, 'http://berth.invalid')
  if (origin !== 'http://berth.invalid' || !isDashboardPath(pathname)) return '/'
  return (pathname.slice(DASHBOARD.length) || '/') + search
}
