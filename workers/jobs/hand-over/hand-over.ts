// Hands over what a person is responsible for, in one write: everything goes to the successor, or nothing does. All rows are
// locked first, in the order of docs/decisions/0005.

import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import {
  approvedPlacesSql,
  MEETINGS_HANDED_OVER_MAX,
  organizedMeetingsSql,
} from '../../../shared/hand-over/hand-over.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import type { Rules } from '../../../shared/rules/rules.ts'
import type { RulePlace } from '../../../shared/rules/rules-shape.ts'
import { isPersonSql } from '../../../shared/users/unknown-organizer.ts'
import { type Handlers, openWritesWithFacts, type Write } from '../../runtime/write.ts'
import { replaceAssignee } from '../bookables/assignees.ts'
import { lockClaims } from '../claims/locks.ts'
import { eventUpdates } from '../events/events.ts'
import { lockEventRows, type PresentEvent } from '../events/present-events.ts'
import { lockRow, updateRow } from '../rows/rows.ts'

// Fewer than the attendees and rooms of the largest meeting (ATTENDEES_MAX, ROOMS_MAX).
const INVITED_AT_ONCE_MAX = 200

type HandOver = InputOf<'users.hand-over'>

export const handOverHandlers: Handlers<'users.hand-over'> = {
  async 'users.hand-over'(write, input) {
    await refuseDuringImport(write.trx)
    await requireSuccessor(write, input)
    const duties = await lockDuties(write, input.id)
    for (const place of duties.places) await replaceApprover(write, place, input)
    // Rooms come before the meetings in them, because a meeting in an assigned room must be organized by an assignee.
    const assigned = await replaceAssignee(write, duties.assigned, input)
    for (const meetings of sliceMeetings(duties.meetings)) await replaceOrganizer(write, meetings, input)
    return {
      data: {
        meetings: duties.meetings.length,
        places: duties.places.length,
        assigned,
        is_complete: duties.isComplete,
      },
    }
  },
}

async function requireSuccessor(write: Write, { id, to }: HandOver): Promise<void> {
  const person = `SELECT id FROM users WHERE id = ? AND ${isPersonSql()}`
  await write.requireRow(person, [id], message`There is no person with this id.`)
  const isActive = (await write.first(`${person} AND deactivated_at IS NULL`, [to])) !== undefined
  if (!isActive || to === id) throw invalidFields({ to: [message`Choose somebody else who is active.`] })
}

async function lockDuties(write: Write, id: number) {
  const found = await write.ids(`SELECT id FROM ${organizedMeetingsSql(':id', ':now')}`, {
    id,
    now: write.now,
  })
  const locked = await lockEventRows(await write.connection(), found.slice(0, MEETINGS_HANDED_OVER_MAX))
  // Somebody may have cancelled a meeting, or given it to another organizer, before it was locked.
  const meetings = [...locked.values()].filter(
    (each) => each.organizer_user_id === id && each.status !== EVENT_STATUSES.cancelled,
  )
  const assigned = await write.ids(
    `SELECT bookables.id FROM bookable_assignees JOIN bookables ON bookables.id = bookable_id
     WHERE user_id = ? AND deleted_at IS NULL ORDER BY 1`,
    [id],
  )
  await lockClaims(write, [...assigned, ...meetings.flatMap(({ rooms }) => rooms)])
  return {
    meetings,
    assigned,
    places: await lockApprovedPlaces(write, id, assigned),
    isComplete: found.length <= MEETINGS_HANDED_OVER_MAX,
  }
}

type ApprovedPlace = { place: RulePlace; id: number }

const PLACES = ['buildings', 'locations', 'bookables'] as const

/**
 * Locks the places that name the person as an approver, and the desks and rooms that are assigned to the person. Returns
 * the places that still name the person once they are locked.
 */
async function lockApprovedPlaces(
  write: Write,
  userId: number,
  assigned: number[],
): Promise<ApprovedPlace[]> {
  const found = await listApprovedPlaces(write, userId)
  for (const place of PLACES) {
    const approved = found.filter((each) => each.place === place).map(({ id }) => id)
    await write.run(`SELECT FROM ${place} WHERE id = ANY(?::bigint[]) ORDER BY id FOR NO KEY UPDATE`, [
      place === 'bookables' ? [...assigned, ...approved] : approved,
    ])
  }
  // Somebody may have deleted a place, or changed its approvers, before it was locked.
  const present = await listApprovedPlaces(write, userId)
  return present.filter(({ place, id }) => found.some((each) => each.place === place && each.id === id))
}

async function listApprovedPlaces(write: Write, userId: number): Promise<ApprovedPlace[]> {
  const found: ApprovedPlace[] = []
  for (const place of PLACES) {
    const ids = await write.ids(`SELECT id FROM ${approvedPlacesSql(place, '?')} ORDER BY id`, [userId])
    found.push(...ids.map((id) => ({ place, id })))
  }
  return found
}

// Sets only the approvers, and not all rules again, so that another approver who has left does not refuse the write.
async function replaceApprover(write: Write, { place, id }: ApprovedPlace, { id: from, to }: HandOver) {
  const row = await lockRow(write, place, id)
  const rules = row.row['rules'] as Rules
  const others = (rules.approvers?.user_ids ?? []).filter((each) => each !== from && each !== to)
  const approvers = { ...rules.approvers, user_ids: [...others, to] }
  await updateRow(write, row, { rules: JSON.stringify({ ...rules, approvers }) }, `${place}.set-rules`)
}

/** Slices the meetings so that each slice can be saved at once: by their people and rooms (`lockMeetings`). */
function sliceMeetings(meetings: PresentEvent[]): PresentEvent[][] {
  const slices: PresentEvent[][] = []
  let size = 0
  for (const meeting of meetings) {
    const own = meeting.rooms.length + (meeting.row.attendees?.length ?? 0)
    const last = size + own <= INVITED_AT_ONCE_MAX ? slices.at(-1) : undefined
    if (last) last.push(meeting)
    else slices.push([meeting])
    size = last ? size + own : own
  }
  return slices
}

// A meeting stays where it is, even in a room that only other groups may book or that needs approval.
async function replaceOrganizer(write: Write, meetings: PresentEvent[], { to }: HandOver): Promise<void> {
  const connection = await write.connection()
  const writes = meetings.map(({ id }) => ({
    input: { id, organizer_user_id: to, overrides_rules: true },
    context: write,
  }))
  const facts = await eventUpdates.lockFacts(connection, writes)
  for (const decision of await eventUpdates.perform(connection, openWritesWithFacts(writes, facts)))
    if (decision instanceof Refusal) throw decision
}
