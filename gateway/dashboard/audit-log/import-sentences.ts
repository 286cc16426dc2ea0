// What the audit log says of imports of desks, rooms and parking.
import type { Html } from '../../http/html.ts'
import { plural, t, tHtml } from '../language/translate.ts'
import { showNamed, type Told } from './sentence-parts.ts'

const COUNTED: Array<[field: string, tell: (count: number) => string]> = [
  ['created', (count) => plural(count, '# added', '# added')],
  ['updated', (count) => plural(count, '# changed', '# changed')],
  ['errors', (count) => plural(count, '# row refused', '# rows refused')],
]

export function sayBookablesImported({ said, after }: Told): Html {
  const counts = COUNTED.flatMap(([field, tell]) => {
    const count = after[field]
    return typeof count === 'number' && count > 0 ? [tell(count)] : []
  })
  const result = counts.length > 0 ? counts.join(', ') : t`nothing changed`
  const { location_id: location, filename } = after
  return typeof filename === 'string' && location !== undefined
    ? tHtml`imported desks, rooms and parking into ${showNamed(said, 'locations', location)} from ${filename}: ${result}`
    : tHtml`imported desks, rooms and parking: ${result}`
}
