// Closes several buildings in one write, and leaves their other rules as they are. What is closed already is not closed
// twice, so the write can be repeated.
import { isClosedWith } from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { CLOSED_MAX } from '../../../shared/rules/closed.ts'
import { type ClosingBuilding, groupByTimes, newlyClosed } from '../../../shared/rules/closing-buildings.ts'
import type { Rules } from '../../../shared/rules/rules.ts'
import { ruleRows } from '../../../shared/rules/rules-shape.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import { type LockedRow, lockRow, refuseUnknownIds, updateRow } from '../kit/rows.ts'

type Input = InputOf<'buildings.close'>

export const closingHandlers: Handlers<'buildings.close'> = {
  async 'buildings.close'(write, input) {
    const ids = [...new Set(input.ids)].sort((a, b) => a - b)
    await resolveClosing(write, ids, input)
    const data = { buildings: 0, added: 0 }
    for (const id of ids) {
      const added = await closeBuilding(write, await lockRow(write, 'buildings', id), input)
      data.added += added
      if (added > 0) data.buildings++
    }
    return { data }
  },
}

// Buildings in other time zones close at other instants, so each group is resolved by itself. `release_id` names one job:
// several groups with too many bookings are refused.
async function resolveClosing(write: Write, ids: number[], { closed, in_the_way, release_id }: Input) {
  const buildings = await write.all<ClosingBuilding>(
    `SELECT id, timezone AS zone, rules -> 'closed' AS closed FROM buildings
     WHERE id = ANY(?::bigint[]) ORDER BY id`,
    [ids],
  )
  refuseUnknownIds(ids, buildings, 'building')
  if (in_the_way === undefined) return
  const groups = groupByTimes(closed, buildings)
  for (const group of groups) {
    const bookables = await write.ids(
      `SELECT bookables.id FROM ${ruleRows('bookables')}
       WHERE buildings.id = ANY(?::bigint[]) AND ${isClosedWith('buildings')}`,
      [group.ids],
    )
    const resolution = { in_the_way, release_id: groups.length === 1 ? release_id : undefined }
    await resolveAffectedBookings(write, { ids: bookables, times: group.times }, resolution)
  }
}

/** Returns how many times were added. */
async function closeBuilding(write: Write, building: LockedRow, { closed: times }: Input): Promise<number> {
  const row = building.row as { name: string; timezone: string; rules: Rules | null }
  const present = row.rules?.closed ?? []
  const added = newlyClosed(times, { id: building.id, zone: row.timezone, closed: present })
  if (added.length === 0) return 0
  const closed = [...present, ...added]
  if (closed.length > CLOSED_MAX)
    throw invalid({
      closed: [
        message`${row.name} would have ${closed.length} closed times, and ${CLOSED_MAX} are the most. Delete those that are over first.`,
      ],
    })
  const rules = JSON.stringify({ ...row.rules, closed })
  await updateRow(write, building, { rules }, 'buildings.set-rules')
  return added.length
}
