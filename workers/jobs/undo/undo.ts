// Undoes a write of bookings, bookables or rules, found by one of its entries in the audit log: everything that it did, by the
// same code as any other change. Refused if somebody has changed any of it since; the present state decides, not the time.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { isOneWrite } from '../../../shared/undo/one-write.ts'
import { isUndoable } from '../../../shared/undo/undo.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { lockBookables, lockClaims } from '../claims/locks.ts'
import {
  cannotBeUndone,
  type Entry,
  isWhole,
  listEntries,
  refuseChanged,
  severalWritesRefusal,
} from './entries.ts'
import { undoBookings } from './undo-bookings.ts'
import { undoBookables, undoRules } from './undo-places.ts'

export const undoHandlers: Handlers<'audit-entries.undo'> = {
  async 'audit-entries.undo'(write, { id, skips, also = [] }) {
    const entries = await requireAllEntries(write, [id, ...also])
    if (!entries.every((entry) => isUndoable(entry.action) && isWhole(entry))) throw cannotBeUndone()
    await lockThings(write, entries)
    await refuseChanged(write, entries)
    await undoRules(write, 'buildings', of(entries, 'buildings'))
    await undoRules(write, 'locations', of(entries, 'locations'))
    // What was blocked or assigned is first free again for the bookings that had to leave it.
    await undoBookables(write, of(entries, 'bookables'))
    const left = await undoBookings(write, of(entries, 'bookings'), { skips: skips === true })
    await noteUndone(write, id, entries)
    return { data: { undone: entries.length - left, left } }
  },
}

/** The newest first. Several ids may lead to one write, whose entries come once. */
async function requireAllEntries(write: Write, ids: number[]): Promise<Entry[]> {
  const entries = new Map<number, Entry>()
  for (const id of new Set(ids))
    for (const entry of await requireEntries(write, id)) entries.set(entry.id, entry)
  return [...entries.values()].sort((one, other) => other.id - one.id)
}

async function requireEntries(write: Write, id: number): Promise<Entry[]> {
  const entries = await listEntries(write, id)
  if (entries.length === 0 || !(await isOwn(write, id)))
    throw new Refusal('not_found', message`There is no such entry in the audit log.`)
  if (!isOneWrite(entries)) throw severalWritesRefusal()
  return entries
}

/** A person undoes only what they did themselves. */
async function isOwn(write: Write, id: number): Promise<boolean> {
  if (write.userId === undefined) return true
  const own = "SELECT FROM audit_log WHERE id = ? AND actor_type = 'user' AND actor_id = ?"
  return (await write.first(own, [id, write.userId])) !== undefined
}

const of = (entries: Entry[], wanted: Entry['resource']) =>
  entries.filter(({ resource }) => resource === wanted)

/** In the order of docs/decisions/0005, for all that follows. */
async function lockThings(write: Write, entries: Entry[]): Promise<void> {
  const bookables = of(entries, 'bookables').map(({ thing }) => thing)
  const bookings = of(entries, 'bookings')
  const places = bookings.flatMap(({ before, after }) => [before?.['bookable_id'], after?.['bookable_id']])
  const claimed = [...bookables, ...places].filter((each) => typeof each === 'number')
  await lockClaims(write, [...new Set(claimed)])
  await write.run('SELECT FROM bookings WHERE id = ANY(?::bigint[]) ORDER BY id FOR UPDATE', [
    bookings.map(({ thing }) => thing),
  ])
  await lockBookables(write, bookables)
}

/** Each entry of this write names the one that it undoes: of the same thing, if there is one. */
async function noteUndone(write: Write, id: number, entries: Entry[]): Promise<void> {
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
