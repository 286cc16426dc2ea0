// Check-in to the rooms of an event, where their rules ask events for it: all of them at once.
import { audit } from '../../../shared/audit.ts'
import { EVENT_STATUSES } from '../../../shared/contracts/events.ts'
import { onlyRow } from '../../../shared/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { timestampText } from '../../../shared/shapes/json.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { CHECK_IN_COLUMNS, type CheckIn, refuseCheckIn } from '../bookings/check-ins.ts'
import type { Span } from '../bookings/conflicts.ts'
import { onlyWithin } from '../building-limits.ts'
import { checkInWindow } from '../rules/check-in-windows.ts'
import { findRoomRules } from '../rules/rule-facts.ts'

const NO_EVENT = 'There is no event with this id.'

type Room = CheckIn & { id: number; before: unknown }

/** A room that was released already stays so; where no other is left, it is too late. Of a limited token those elsewhere are left alone. */
export async function checkInEvent(
  trx: Transaction,
  { id }: InputOf<'events.check-in'>,
  context: WorkContext,
): Promise<ReplyOf<'events.check-in'>> {
  await lockConfirmed(trx, id, context)
  const rooms = await lockRooms(trx, id, context)
  const waiting = rooms.filter(({ isCheckedIn, isReleased }) => !isCheckedIn && !isReleased)
  const [first] = rooms
  if (!first) {
    throw new Refusal('not_found', context.buildingIds ? NO_EVENT : 'This event has no rooms to check in to.')
  }
  if (waiting.length === 0 && !rooms.some(({ isCheckedIn }) => isCheckedIn)) refuseCheckIn(first, context.now)
  for (const room of waiting) refuseCheckIn(room, context.now)
  const { rows } = await trx.raw(
    `UPDATE bookings SET checked_in_at = ?, updated_at = now() WHERE id = ANY(?::bigint[])
     RETURNING to_jsonb(bookings) AS row`,
    [context.now, waiting.map((room) => room.id)],
  )
  if (waiting.length > 0) {
    const change = { action: 'events.check-in', resource: 'events', resourceId: id } as const
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
  // A cancelled one has no rooms: it lies nowhere.
  const isGone = rows[0]?.status === EVENT_STATUSES.cancelled && buildingIds !== undefined
  if (rows.length === 0 || isGone) throw new Refusal('not_found', NO_EVENT)
  if (rows[0].status !== EVENT_STATUSES.cancelled) return
  throw new Refusal('event_cancelled', 'The event is cancelled: it has no rooms.')
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

type Meeting = { eventId: number; organizerId: number; span: Span }

/** Of rooms that have just been claimed: what their rules ask for. Those that somebody checked in to before stay so. */
export async function setCheckInWindows(
  trx: Transaction,
  roomIds: number[],
  { eventId, organizerId, span }: Meeting,
  { now }: WorkContext,
): Promise<void> {
  if (roomIds.length === 0 || span.to <= now) return
  const rules = await findRoomRules(trx, roomIds, organizerId)
  const asking = rules.filter((facts) => facts.rules.check_in?.events)
  if (asking.length === 0) return
  const windows = asking.map((facts) => checkInWindow(facts, span, now))
  await trx.raw(
    `UPDATE bookings SET check_in_from = asked.opens, check_in_until = asked.closes
     FROM unnest(CAST(:ids AS bigint[]), CAST(:opens AS timestamptz[]), CAST(:closes AS timestamptz[]))
       AS asked (bookable_id, opens, closes)
     WHERE event_id = :eventId AND bookings.bookable_id = asked.bookable_id`,
    {
      eventId,
      ids: asking.map(({ bookable }) => bookable.id),
      opens: windows.map(({ from }) => from),
      closes: windows.map(({ until }) => until),
    },
  )
}

/** Before the rooms are claimed anew: which of them stay checked in, and which stay released. */
export async function findCheckIns(trx: Transaction, eventId: number) {
  const { rows } = await trx.raw(
    `SELECT bookable_id AS "bookableId", ${timestampText('checked_in_at')} AS "checkedInAt", released_at IS NOT NULL AS "isReleased"
     FROM bookings WHERE event_id = ? AND (checked_in_at IS NOT NULL OR released_at IS NOT NULL)`,
    [eventId],
  )
  return rows as Array<{ bookableId: number; checkedInAt: string | null; isReleased: boolean }>
}

export async function keepCheckIns(
  trx: Transaction,
  eventId: number,
  kept: Awaited<ReturnType<typeof findCheckIns>>,
): Promise<void> {
  const checkedIn = kept.flatMap(({ bookableId, checkedInAt }) =>
    checkedInAt ? [{ bookableId, checkedInAt }] : [],
  )
  if (checkedIn.length === 0) return
  await trx.raw(
    `UPDATE bookings SET checked_in_at = asked.at
     FROM unnest(?::bigint[], ?::timestamptz[]) AS asked (bookable_id, at)
     WHERE event_id = ? AND bookings.bookable_id = asked.bookable_id`,
    [checkedIn.map(({ bookableId }) => bookableId), checkedIn.map(({ checkedInAt }) => checkedInAt), eventId],
  )
}
