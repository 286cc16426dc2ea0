// Closes several buildings or bookables in one write, and leaves their other rules as they are. What is closed already is
// not closed twice, so the write can be repeated.
import { isClosedWith } from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { CLOSED_MAX } from '../../../shared/rules/closed.ts'
import { type ClosingPlace, groupByTimes, newlyClosed } from '../../../shared/rules/closing-places.ts'
import type { Rules } from '../../../shared/rules/rules.ts'
import { ruleRows } from '../../../shared/rules/rules-shape.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import { type LockedRow, lockRow, refuseUnknownIds, updateRow } from '../rows/rows.ts'

type Input = InputOf<'buildings.close'>
type Table = 'bookables' | 'buildings'

export const closingHandlers: Handlers<`${Table}.close`> = {
  async 'bookables.close'(write, input) {
    const { changed } = await closeAll(write, 'bookables', input)
    return { data: { changed } }
  },

  async 'buildings.close'(write, input) {
    const { changed, added } = await closeAll(write, 'buildings', input)
    return { data: { buildings: changed, added } }
  },
}

/** Returns how many places were changed, and how many times were added to them. */
async function closeAll(write: Write, table: Table, input: Input) {
  const ids = [...new Set(input.ids)].sort((a, b) => a - b)
  const places = await findPlaces(write, table, ids)
  if (input.in_the_way !== undefined) await resolveClosing(write, table, places, input)
  const counts = { changed: 0, added: 0 }
  for (const { id, zone } of places) {
    const added = await closePlace(write, await lockRow(write, table, id), zone, input)
    counts.added += added
    if (added > 0) counts.changed++
  }
  return counts
}

async function findPlaces(write: Write, table: Table, ids: number[]): Promise<ClosingPlace[]> {
  const places = await write.all<ClosingPlace>(
    `SELECT ${table}.id, buildings.timezone AS zone, ${table}.rules -> 'closed' AS closed FROM ${ruleRows(table)}
     WHERE ${table}.id = ANY(?::bigint[]) ORDER BY ${table}.id`,
    [ids],
  )
  refuseUnknownIds(ids, places, table === 'buildings' ? 'building' : 'desk or room')
  return places
}

// Buildings in other time zones close at other instants, so each group is resolved by itself. `release_id` names one job:
// several groups with too many bookings are refused.
async function resolveClosing(
  write: Write,
  table: Table,
  places: ClosingPlace[],
  { closed, in_the_way, release_id }: Input,
) {
  const groups = groupByTimes(closed, places)
  for (const group of groups) {
    const bookables = await write.ids(
      `SELECT bookables.id FROM ${ruleRows('bookables')}
       WHERE ${table}.id = ANY(?::bigint[]) AND ${isClosedWith(table)}`,
      [group.ids],
    )
    const resolution = { in_the_way, release_id: groups.length === 1 ? release_id : undefined }
    await resolveAffectedBookings(write, { ids: bookables, times: group.times }, resolution)
  }
}

/** Returns how many times were added. */
async function closePlace(write: Write, place: LockedRow, zone: string, { closed: times }: Input) {
  const row = place.row as { name: string; rules: Rules | null }
  const present = row.rules?.closed ?? []
  const added = newlyClosed(times, { id: place.id, zone, closed: present })
  if (added.length === 0) return 0
  const closed = [...present, ...added]
  if (closed.length > CLOSED_MAX)
    throw invalid({
      closed: [
        message`${row.name} would have ${closed.length} closed times, and ${CLOSED_MAX} are the most. Delete those that are over first.`,
      ],
    })
  const rules = JSON.stringify({ ...row.rules, closed })
  await updateRow(write, place, { rules }, `${place.table as Table}.set-rules`)
  return added.length
}
