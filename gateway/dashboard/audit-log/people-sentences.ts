// What the audit log says of imports of people, and of people who were erased.
import { type Html, html } from '../../http/html.ts'
import { plural, t, tHtml } from '../language/translate.ts'
import type { Told } from './sentence-parts.ts'

const COUNTED: Array<[field: string, tell: (count: number) => string]> = [
  ['created', (count) => plural(count, '# person added', '# people added')],
  ['updated', (count) => plural(count, '# person changed', '# people changed')],
  ['deleted', (count) => plural(count, '# person deactivated', '# people deactivated')],
  ['errors', (count) => plural(count, '# row refused', '# rows refused')],
]

export function sayImported({ after }: Told): Html {
  const counts = COUNTED.flatMap(([field, tell]) => {
    const count = after[field]
    return typeof count === 'number' && count > 0 ? [tell(count)] : []
  })
  const result = counts.length > 0 ? counts.join(', ') : t`nothing changed`
  const { filename } = after
  return typeof filename === 'string'
    ? tHtml`imported people from ${filename}: ${result}`
    : tHtml`imported people: ${result}`
}

export function sayErased({ entry, after }: Told): Html {
  const id = entry.resourceId ?? '–'
  const cancelled = after['cancelledBookings']
  if (typeof cancelled !== 'number' || cancelled === 0) return tHtml`erased person ${id}`
  return html`${plural(
    cancelled,
    'erased person {0}, and cancelled # booking',
    'erased person {0}, and cancelled # bookings',
    id,
  )}`
}
