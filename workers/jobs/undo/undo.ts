// Undoes everything that a write did to absences, bookings, meetings, approvals, loans, bookables and rules, with the
// same code as any other change. One of the write's audit log entries identifies the write. Refuses if somebody has
// changed any of the same things since then. Only their current state matters, not how long ago the write was.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { belongToOneWrite } from '../../../shared/undo/one-write.ts'
import { isUndoable } from '../../../shared/undo/undo.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { lockBookables, lockClaims } from '../claims/locks.ts'
import {
  createSeveralWritesRefusal,
  createUndoRefusal,
  isCompleteEntry,
  listEntries,
  refuseChangedEntries,
  type UndoEntry,
} from './entries.ts'
import { undoAbsences } from './undo-absences.ts'
import { undoBookings } from './undo-bookings.ts'
import { refuseChangedEvents, undoEvents } from './undo-events.ts'
import { undoLoans } from './undo-loans.ts'
import { refuseUnlessBookedByAssignees, undoBookables, undoRules } from './undo-places.ts'
import { lockRequestsAndEvents, refuseUnlessMayDecide, undoApprovals } from './undo-requests.ts'
import { undoTeamDays } from './undo-team-days.ts'

export const undoHandlers: Handlers<'audit-entries.undo'> = {
  async 'audit-entries.undo'(write, { id, skips, also = [] }) {
    const entries = await requireAllEntries(write, [id, ...also])
    if (!entries.every((entry) => isUndoable(entry.action) && isCompleteEntry(entry)))
      throw createUndoRefusal()
    await lockAffectedRows(write, entries)
    const requests = filterEntries(entries, 'booking_requests')
    await refuseUnlessMayDecide(write, requests)
    await refuseChangedEntries(write, entries)
    await refuseChangedEvents(write, filterEntries(entries, 'events'))
    await undoRules(write, 'buildings', filterEntries(entries, 'buildings'))
    await undoRules(write, 'locations', filterEntries(entries, 'locations'))
    // Bookables that the write blocked or assigned become free first, so that the bookings that had to leave these
    // bookables can return.
    const reassigned = await undoBookables(write, filterEntries(entries, 'bookables'))
    await undoEvents(write, filterEntries(entries, 'events'))
    await undoTeamDays(write, filterEntries(entries, 'team_days'))
    await refuseUnlessBookedByAssignees(write, reassigned)
    await undoLoans(write, filterEntries(entries, 'loans'))
    const options = { skips: skips === true, approved: requests }
    const left = await undoBookings(write, filterEntries(entries, 'bookings'), options)
    await undoAbsences(write, filterEntries(entries, 'absences'))
    await undoApprovals(write, requests)
    await recordUndone(write, id, entries)
    return { data: { undone: entries.length - left, left } }
  },
}

/**
 * Returns the entries of these writes, newest first. If several ids belong to the same write, its entries occur once.
 */
async function requireAllEntries(write: Write, ids: number[]): Promise<UndoEntry[]> {
  const entries = new Map<number, UndoEntry>()
  for (const id of new Set(ids))
    for (const entry of await requireEntries(write, id)) entries.set(entry.id, entry)
  return [...entries.values()].sort((one, other) => other.id - one.id)
}

async function requireEntries(write: Write, id: number): Promise<UndoEntry[]> {
  const entries = await listEntries(write, id)
  if (entries.length === 0 || !(await isOwnWrite(write, id)))
    throw new Refusal('not_found', message`This audit log entry does not exist.`)
  if (!belongToOneWrite(entries)) throw createSeveralWritesRefusal()
  return entries
}

/** Returns whether the person made this write. People can undo only their own writes. */
async function isOwnWrite(write: Write, id: number): Promise<boolean> {
  if (write.userId === undefined) return true
  const own = "SELECT FROM audit_log WHERE id = ? AND actor_type = 'user' AND actor_id = ?"
  return (await write.first(own, [id, write.userId])) !== undefined
}

const filterEntries = (entries: UndoEntry[], wanted: UndoEntry['resource']) =>
  entries.filter(({ resource }) => resource === wanted)

/** Takes all locks for undoing the write, in the order of docs/decisions/0005. */
async function lockAffectedRows(write: Write, entries: UndoEntry[]): Promise<void> {
  const bookables = filterEntries(entries, 'bookables').map(({ thing }) => thing)
  const bookings = filterEntries(entries, 'bookings')
  const requests = filterEntries(entries, 'booking_requests')
  const events = filterEntries(entries, 'events')
  await lockRequestsAndEvents(write, requests, events)
  const rooms = events.flatMap(({ before, after }) =>
    [before, after].flatMap((each) => each?.['bookables'] ?? []),
  )
  const loans = filterEntries(entries, 'loans')
  const lent = loans.map(({ before, after }) => Number((before ?? after)?.['bookable_id']))
  const places = [...bookings, ...requests]
    .flatMap(({ before, after }) => [before?.['bookable_id'], after?.['bookable_id']])
    .concat(rooms)
  const claimed = [...bookables, ...lent, ...places].filter((each) => typeof each === 'number')
  await lockClaims(write, [...new Set(claimed)])
  await write.run('SELECT FROM bookings WHERE id = ANY(?::bigint[]) ORDER BY id FOR UPDATE', [
    bookings.map(({ thing }) => thing),
  ])
  await lockBookables(write, [...bookables, ...lent])
}

/**
 * Links each entry of this write to the entry that it undoes. If possible, that entry is about the same booking or
 * place.
 */
async function recordUndone(write: Write, id: number, entries: UndoEntry[]): Promise<void> {
  await write.run(
    `UPDATE audit_log SET undoes = coalesce((
       SELECT max(undone.id) FROM audit_log AS undone
       WHERE undone.id = ANY(CAST(:ids AS bigint[])) AND undone.resource = audit_log.resource
         AND undone.resource_id = audit_log.resource_id
     ), :id)
     WHERE attempt = :attempt`,
    { ids: entries.map((entry) => entry.id), id, attempt: write.attempt },
  )
}
