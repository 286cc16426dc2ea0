// The paths of the things that the audit log mentions, and their recorded fields.

// The kinds of things that have a page.
const PAGE_PATHS: Record<string, string> = {
  users: '/people/',
  buildings: '/places/buildings/',
  locations: '/places/locations/',
  bookables: '/places/bookables/',
  bookings: '/bookings/',
  events: '/events/',
  webhooks: '/settings/webhooks/',
}

/** The beginning of the path; undefined if the kind has no page. */
export const pathOf = (kind: string): string | undefined =>
  Object.hasOwn(PAGE_PATHS, kind) ? PAGE_PATHS[kind] : undefined

/** A value that is not an object counts as one field. */
export function fieldsOf(row: unknown): Record<string, unknown> {
  if (row === null || row === undefined) return {}
  const isPlain = typeof row === 'object' && !Array.isArray(row)
  return isPlain ? (row as Record<string, unknown>) : { value: row }
}
