// Check-in to all rooms of an event at once, if their rules require check-in for events.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { findRoomRules } from '../claims/facts.ts'
import { onlyWithin } from '../kit/building-limits.ts'
import {
  CHECK_IN_COLUMNS,
  type CheckIn,
  changedCheckInWindow,
  checkInWindow,
  isLost,
  refuseCheckIn,
} from '../rules/check-in-windows.ts'

export const NO_EVENT = message`There is no event with this id.`

type Room = CheckIn & { id: number; before: unknown }

export const eventCheckInHandlers: Handlers<'events.check-in'> = {
  /** Released rooms stay released; without any other it is too late. A limited token skips rooms elsewhere. */
  async 'events.check-in'(write, { id }) {
    const { now, buildingIds } = write
    await lockConfirmed(write, id)
    const rooms = await lockRooms(write, id)
    const waiting = rooms.filter((room) => !room.isCheckedIn && !isLost(room, now))
    const [first] = rooms
    const noRooms = message`This event has no rooms to check in to.`
    if (!first) throw new Refusal('not_found', buildingIds ? NO_EVENT : noRooms)
    if (waiting.length === 0 && !rooms.some(({ isCheckedIn }) => isCheckedIn)) refuseCheckIn(first, now)
    for (const room of waiting) refuseCheckIn(room, now)
    if (waiting.length > 0) {
      const former = await write.readFormer('events', [id])
      const checkedIn = await write.all<{ row: unknown }>(
        `UPDATE bookings SET checked_in_at = ?, updated_at = now() WHERE id = ANY(?::bigint[])
         RETURNING to_jsonb(bookings) AS row`,
        [now, waiting.map((room) => room.id)],
      )
      const before = { rooms: waiting.map((room) => room.before) }
      const after = { rooms: checkedIn.map(({ row }) => row) }
      await write.audit({ action: 'events.check-in', id, former, before, after })
    }
    const { at } = await write.only<{ at: string }>(
      `SELECT ${timestampText('min(checked_in_at)')} AS at FROM bookings WHERE id = ANY(?::bigint[])`,
      [rooms.map((room) => room.id)],
    )
    return { data: { id, checked_in_at: at } }
  },
}

async function lockConfirmed(write: Write, id: number): Promise<void> {
  const lock = 'SELECT status FROM events WHERE id = ? FOR UPDATE'
  const { status } = await write.requireRow<{ status: number }>(lock, [id], NO_EVENT)
  if (status !== EVENT_STATUSES.cancelled) return
  // A cancelled event has no rooms, so it lies in no building.
  if (write.buildingIds !== undefined) throw new Refusal('not_found', NO_EVENT)
  throw new Refusal('event_cancelled', message`The event is cancelled: it has no rooms.`)
}

async function lockRooms(write: Write, eventId: number): Promise<Room[]> {
  const all = await write.all<Room>(
    `SELECT bookings.id, ${CHECK_IN_COLUMNS}, to_jsonb(bookings) AS before
     FROM bookings WHERE event_id = ? ORDER BY id FOR UPDATE`,
    [eventId],
  )
  const ids = all.map(({ id }) => id)
  const within = await onlyWithin(write, 'bookings', ids)
  return all.filter(({ id }) => within.includes(id))
}

/** A room of the event before it was replaced; a lost one is free. */
type PresentRoom = CheckIn & { bookableId: number; checkedInAt: string | null }

export function findPresentRooms(write: Write, eventId: number): Promise<PresentRoom[]> {
  return write.all(
    `SELECT bookable_id AS "bookableId", ${timestampText('checked_in_at')} AS "checkedInAt", ${CHECK_IN_COLUMNS}
     FROM bookings WHERE event_id = ?`,
    [eventId],
  )
}

type Meeting = { eventId: number; organizerId: number; span: TimeRange; present?: PresentRoom[] }

/**
 * Sets what the rules require of rooms that have just been claimed. A room that the event had before keeps
 * its requirement and stays checked in, unless the event begins at another time in the future.
 */
export async function setCheckIns(
  write: Write,
  roomIds: number[],
  { eventId, organizerId, span, present = [] }: Meeting,
): Promise<void> {
  if (roomIds.length === 0) return
  const { now } = write
  const rules = span.to <= now ? [] : await findRoomRules(write, roomIds, organizerId)
  const checkIns = roomIds.map((id) => {
    const facts = rules.find(({ bookable, rules: { check_in } }) => bookable.id === id && check_in?.events)
    const before = present.find(({ bookableId }) => bookableId === id)
    const stays = before && (span.from === before.from || span.from <= now)
    return {
      ...(before ? changedCheckInWindow(facts, before, span, now) : checkInWindow(facts, span, now)),
      id,
      checkedInAt: stays ? before.checkedInAt : null,
    }
  })
  const asking = checkIns.filter(({ from, checkedInAt }) => from !== null || checkedInAt !== null)
  if (asking.length === 0) return
  await write.run(
    `UPDATE bookings SET check_in_from = asked.opens, check_in_until = asked.closes,
       checked_in_at = coalesce(asked.checked_in_at, bookings.checked_in_at)
     FROM unnest(CAST(:ids AS bigint[]), CAST(:opens AS timestamptz[]), CAST(:closes AS timestamptz[]),
       CAST(:checkedIn AS timestamptz[])) AS asked (bookable_id, opens, closes, checked_in_at)
     WHERE event_id = :eventId AND bookings.bookable_id = asked.bookable_id`,
    {
      eventId,
      ids: asking.map(({ id }) => id),
      opens: asking.map(({ from }) => from),
      closes: asking.map(({ until }) => until),
      checkedIn: asking.map(({ checkedInAt }) => checkedInAt),
    },
  )
}
