// Where the things are that the audit log speaks of, and what it has of them.

// Where things of a kind have a page.
const PAGE_PATHS: Record<string, string> = {
  users: '/people/',
  buildings: '/places/buildings/',
  locations: '/places/locations/',
  bookables: '/places/bookables/',
  bookings: '/bookings/',
  events: '/events/',
  webhooks: '/settings/webhooks/',
}

/** The beginning of the path; undefined where there is no page. */
export const pathOf = (kind: string): string | undefined =>
  Object.hasOwn(PAGE_PATHS, kind) ? PAGE_PATHS[kind] : undefined

/** What is no object is one field. */
export function fieldsOf(row: unknown): Record<string, unknown> {
  if (row === null || row === undefined) return {}
  const isPlain = typeof row === 'object' && !Array.isArray(row)
  return isPlain ? (row as Record<string, unknown>) : { value: row }
}
