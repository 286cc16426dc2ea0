// Finds the attendees who hide from the person who writes. That person sees them as visitors, as in the gateway's answers.
import { isHiddenFrom } from '../../../shared/people/visibility.ts'
import type { Connection } from '../../runtime/connection.ts'
import { arraysOf } from '../rows/rows.ts'

/** `viewer` is undefined for callers who see everybody. */
type Seen = { viewer: number | undefined; userIds: number[] }

/** Returns the sets in the order of `seen`. */
export async function findHiddenFrom(connection: Connection, seen: Seen[]): Promise<Array<Set<number>>> {
  const asked = seen.flatMap(({ viewer, userIds }, place) =>
    viewer === undefined ? [] : userIds.map((id) => ({ place, viewer, id })),
  )
  const hidden = seen.map(() => new Set<number>())
  if (asked.length === 0) return hidden
  const { rows } = await connection.query<{ place: number; id: number }>({
    name: 'find-hidden-attendees',
    text: `
      SELECT place, id FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS asked (place, viewer, id)
      WHERE ${isHiddenFrom('asked.id', 'asked.viewer')}`,
    values: arraysOf(asked, ['place', 'viewer', 'id']),
  })
  for (const { place, id } of rows) hidden[place]?.add(id)
  return hidden
}
