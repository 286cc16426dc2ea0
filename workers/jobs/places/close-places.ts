// Closes several buildings or bookables in one write, and leaves their other rules unchanged. Skips times at which a
// place is already closed, so the write can be repeated.
import { isClosedWithPlaceSql } from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { refuseTooManyClosedTimes } from '../../../shared/rules/closed-times.ts'
import {
  type ClosingPlace,
  findNewClosedTimes,
  groupPlacesByTimes,
} from '../../../shared/rules/closing-places.ts'
import type { Rules } from '../../../shared/rules/rules.ts'
import { ruleRowsSql } from '../../../shared/rules/rules-shape.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import { type LockedRow, lockRow, refuseUnknownIds, updateRow } from '../rows/rows.ts'

type CloseInput = InputOf<'buildings.close'>
type ClosableTable = 'bookables' | 'buildings'

export const closingHandlers: Handlers<`${ClosableTable}.close`> = {
  async 'bookables.close'(write, input) {
    const { changed } = await closeAllPlaces(write, 'bookables', input)
    return { data: { changed } }
  },

  async 'buildings.close'(write, input) {
    const { changed, added } = await closeAllPlaces(write, 'buildings', input)
    return { data: { buildings: changed, added } }
  },
}

/** Closes places. Returns the number of places that changed and the number of closed times that were added. */
async function closeAllPlaces(write: Write, table: ClosableTable, input: CloseInput) {
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

async function findPlaces(write: Write, table: ClosableTable, ids: number[]): Promise<ClosingPlace[]> {
  const places = await write.all<ClosingPlace>(
    `SELECT ${table}.id, buildings.timezone AS zone, ${table}.rules -> 'closed' AS closed FROM ${ruleRowsSql(table)}
     WHERE ${table}.id = ANY(?::bigint[]) ORDER BY ${table}.id`,
    [ids],
  )
  refuseUnknownIds(ids, places, table === 'buildings' ? 'building' : 'desk or room')
  return places
}

// Resolves affected bookings. Buildings in other time zones close at other instants, so each group of buildings with
// the same instants is resolved separately. `release_id` names only one job, so the write is refused if several groups
// have too many bookings.
async function resolveClosing(
  write: Write,
  table: ClosableTable,
  places: ClosingPlace[],
  { closed, in_the_way, release_id }: CloseInput,
) {
  const groups = groupPlacesByTimes(closed, places)
  for (const group of groups) {
    const bookables = await write.ids(
      `SELECT bookables.id FROM ${ruleRowsSql('bookables')}
       WHERE ${table}.id = ANY(?::bigint[]) AND ${isClosedWithPlaceSql(table)}`,
      [group.ids],
    )
    const resolution = { in_the_way, release_id: groups.length === 1 ? release_id : undefined }
    await resolveAffectedBookings(write, { ids: bookables, times: group.times }, resolution)
  }
}

/** Closes one place. Returns the number of closed times that were added. */
async function closePlace(write: Write, place: LockedRow, zone: string, { closed: times }: CloseInput) {
  const row = place.row as { name: string; rules: Rules | null }
  const present = row.rules?.closed ?? []
  const added = findNewClosedTimes(times, { id: place.id, zone, closed: present })
  if (added.length === 0) return 0
  const closed = [...present, ...added]
  refuseTooManyClosedTimes(row.name, closed)
  const rules = JSON.stringify({ ...row.rules, closed })
  await updateRow(write, place, { rules }, `${place.table as ClosableTable}.set-rules`)
  return added.length
}
