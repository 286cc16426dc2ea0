// Check-in to all rooms of an event at once, if their rules require check-in for events.
import { audit } from '../../../shared/audit/audit.ts'
import { readFormer } from '../../../shared/changes/former.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { CHECK_IN_COLUMNS, type CheckIn, refuseCheckIn } from '../bookings/check-ins.ts'
import type { Span } from '../claims/conflicts.ts'
import { findRoomRules } from '../claims/rule-facts.ts'
import { onlyWithin } from '../kit/building-limits.ts'
import { changedCheckInWindow, checkInWindow, isLost } from '../rules/check-in-windows.ts'

export const NO_EVENT = message`There is no event with this id.`

type Room = CheckIn & { id: number; before: unknown }

/** Released rooms stay released; without any other it is too late. A limited token skips rooms elsewhere. */
export async function checkInEvent(
  trx: Transaction,
  { id }: InputOf<'events.check-in'>,
  context: WorkContext,
): Promise<ReplyOf<'events.check-in'>> {
  await lockConfirmed(trx, id, context)
  const rooms = await lockRooms(trx, id, context)
  const waiting = rooms.filter((room) => !room.isCheckedIn && !isLost(room, context.now))
  const [first] = rooms
  if (!first) {
    throw new Refusal(
      'not_found',
      context.buildingIds ? NO_EVENT : message`This event has no rooms to check in to.`,
    )
  }
  if (waiting.length === 0 && !rooms.some(({ isCheckedIn }) => isCheckedIn)) refuseCheckIn(first, context.now)
  for (const room of waiting) refuseCheckIn(room, context.now)
  const former = await readFormer(trx, 'events', [id])
  const { rows } = await trx.raw(
    `UPDATE bookings SET checked_in_at = ?, updated_at = now() WHERE id = ANY(?::bigint[])
     RETURNING to_jsonb(bookings) AS row`,
    [context.now, waiting.map((room) => room.id)],
  )
  if (waiting.length > 0) {
    const change = { action: 'events.check-in', resource: 'events', resourceId: id, former } as const
    const after = rows.map(({ row }: { row: unknown }) => row)
    await audit(trx, context, {
      ...change,
      before: { rooms: waiting.map(({ before }) => before) },
      after: { rooms: after },
    })
  }
  const ids = rooms.map((room) => room.id)
  return { data: { id, checked_in_at: await findCheckedIn(trx, ids) } }
}

async function lockConfirmed(trx: Transaction, id: number, { buildingIds }: WorkContext): Promise<void> {
  const { rows } = await trx.raw('SELECT status FROM events WHERE id = ? FOR UPDATE', [id])
  // A cancelled event has no rooms, so it lies in no building.
  const isGone = rows[0]?.status === EVENT_STATUSES.cancelled && buildingIds !== undefined
  if (rows.length === 0 || isGone) throw new Refusal('not_found', NO_EVENT)
  if (rows[0].status !== EVENT_STATUSES.cancelled) return
  throw new Refusal('event_cancelled', message`The event is cancelled: it has no rooms.`)
}

async function lockRooms(trx: Transaction, eventId: number, context: WorkContext): Promise<Room[]> {
  const { rows } = await trx.raw(
    `SELECT bookings.id, ${CHECK_IN_COLUMNS}, to_jsonb(bookings) AS before
     FROM bookings WHERE event_id = ? ORDER BY id FOR UPDATE`,
    [eventId],
  )
  const all = rows as Room[]
  const within = await onlyWithin(
    trx,
    context,
    'bookings',
    all.map(({ id }) => id),
  )
  return all.filter(({ id }) => within.includes(id))
}

async function findCheckedIn(trx: Transaction, ids: number[]): Promise<string> {
  const { rows } = await trx.raw(
    `SELECT ${timestampText('min(checked_in_at)')} AS at FROM bookings WHERE id = ANY(?::bigint[])`,
    [ids],
  )
  return onlyRow<{ at: string }>(rows).at
}

/** A room of the event before it was replaced; a lost one is free. */
type PresentRoom = CheckIn & { bookableId: number; checkedInAt: string | null; isLost: boolean }

export async function findPresentRooms(
  trx: Transaction,
  eventId: number,
  { now }: WorkContext,
): Promise<PresentRoom[]> {
  const { rows } = await trx.raw(
    `SELECT bookable_id AS "bookableId", ${timestampText('checked_in_at')} AS "checkedInAt", ${CHECK_IN_COLUMNS}
     FROM bookings WHERE event_id = ?`,
    [eventId],
  )
  return rows.map((row: Omit<PresentRoom, 'isLost'>) => ({ ...row, isLost: isLost(row, now) }))
}

type Meeting = { eventId: number; organizerId: number; span: Span; present?: PresentRoom[] }

/**
 * Sets what the rules require of rooms that have just been claimed. A room that the event had before keeps
 * its requirement and stays checked in, unless the event begins at another time in the future.
 */
export async function setCheckIns(
  trx: Transaction,
  roomIds: number[],
  { eventId, organizerId, span, present = [] }: Meeting,
  { now }: WorkContext,
): Promise<void> {
  if (roomIds.length === 0) return
  const rules = span.to <= now ? [] : await findRoomRules(trx, roomIds, organizerId)
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
  await trx.raw(
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
