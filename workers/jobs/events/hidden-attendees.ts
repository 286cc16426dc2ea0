// Finds the attendees who are hidden from the person making the write. That person sees them as visitors, as in the
// gateway's responses.
import { isHiddenFromSql } from '../../../shared/people/visibility.ts'
import type { Connection } from '../../runtime/connection.ts'
import { toColumnArrays } from '../rows/rows.ts'

/** `viewer` is the id of the person making the write, or undefined for callers who see everybody. */
type ViewedAttendees = { viewer: number | undefined; userIds: number[] }

/** Returns sets of hidden users, in the order of `seen`. */
export async function findHiddenUsers(
  connection: Connection,
  seen: ViewedAttendees[],
): Promise<Array<Set<number>>> {
  const asked = seen.flatMap(({ viewer, userIds }, place) =>
    viewer === undefined ? [] : userIds.map((id) => ({ place, viewer, id })),
  )
  const hidden = seen.map(() => new Set<number>())
  if (asked.length === 0) return hidden
  const { rows } = await connection.query<{ place: number; id: number }>({
    name: 'find-hidden-attendees',
    text: `
      SELECT place, id FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS asked (place, viewer, id)
      WHERE ${isHiddenFromSql('asked.id', 'asked.viewer')}`,
    values: toColumnArrays(asked, ['place', 'viewer', 'id']),
  })
  for (const { place, id } of rows) hidden[place]?.add(id)
  return hidden
}
