// Checks in to the rooms of events, in batches.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { type Connection, sendPipelined } from '../../runtime/connection.ts'
import {
  type BatchHandler,
  type Handlers,
  performSingleWrite,
  performUnrefusedWrites,
  type WriteContext,
} from '../../runtime/write.ts'
import { refuseUnlessOrganizer } from '../rows/personal-tokens.ts'
import { findOutsideTokenBuildings } from '../rows/preconditions.ts'
import { toColumnArrays } from '../rows/rows.ts'
import {
  CHECK_IN_COLUMNS_SQL,
  type CheckIn,
  isCheckInMissed,
  refuseClosedCheckIn,
} from '../rules/check-in-windows.ts'
import { EVENT_NOT_FOUND, lockEventRows, type PresentEvent } from './present-events.ts'
import { recordEvents } from './record-events.ts'

type CheckInRoom = CheckIn & { id: number; eventId: number; before: unknown }
type CheckInFact = { event: PresentEvent | undefined; rooms: CheckInRoom[] }
type EventCheckIn = {
  context: WriteContext
  event: PresentEvent
  rooms: CheckInRoom[]
  waiting: CheckInRoom[]
}

/** Checks in to all rooms that an event still has. Released rooms stay released, and if no room is left, it
 * is too late to check in. A token that is limited to buildings skips rooms elsewhere. */
export const eventCheckIns: BatchHandler<
  InputOf<'events.check-in'>,
  CheckInFact | Refusal,
  ReplyOf<'events.check-in'>
> = {
  idOf: ({ id }) => id,
  async lockFacts(connection, writes) {
    const ids = writes.map(({ input }) => input.id)
    const [events, all] = await sendPipelined(
      connection,
      () => lockEventRows(connection, ids),
      () => lockRooms(connection, ids),
    )
    const rooms = writes.flatMap(({ input, context }) =>
      all.filter(({ eventId }) => eventId === input.id).map((room) => ({ ...room, context })),
    )
    const outside = await findOutsideTokenBuildings(connection, 'bookings', rooms)
    const seen = rooms.filter((_room, index) => !outside.has(index))
    return ids.map((id) => ({ event: events.get(id), rooms: seen.filter(({ eventId }) => eventId === id) }))
  },
  perform: (connection, writes) =>
    performUnrefusedWrites(
      writes,
      ({ context }, fact: CheckInFact) => checkEventCheckIn(context, fact),
      (events) => saveCheckIns(connection, events),
    ),
}

async function lockRooms(connection: Connection, eventIds: number[]): Promise<CheckInRoom[]> {
  const { rows } = await connection.query<CheckInRoom>({
    name: 'lock-rooms-of-events',
    text: `SELECT bookings.id, event_id AS "eventId", ${CHECK_IN_COLUMNS_SQL}, to_jsonb(bookings) AS before
           FROM bookings WHERE event_id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
    values: [eventIds],
  })
  return rows
}

function checkEventCheckIn(context: WriteContext, { event, rooms }: CheckInFact): EventCheckIn {
  const { now, buildingIds } = context
  // A cancelled event has no rooms, so it is not in any building.
  const isCancelled = event?.status === EVENT_STATUSES.cancelled
  if (!event || (isCancelled && buildingIds)) throw new Refusal('not_found', EVENT_NOT_FOUND)
  refuseUnlessOrganizer(context, event, EVENT_NOT_FOUND)
  if (isCancelled) throw new Refusal('event_cancelled', message`The meeting is cancelled: it has no rooms.`)
  const [first] = rooms
  const noRooms = message`This meeting has no rooms to check in to.`
  if (!first) throw new Refusal('not_found', buildingIds ? EVENT_NOT_FOUND : noRooms)
  const waiting = rooms.filter((room) => !room.isCheckedIn && !isCheckInMissed(room, now))
  if (waiting.length === 0 && !rooms.some(({ isCheckedIn }) => isCheckedIn)) refuseClosedCheckIn(first, now)
  for (const room of waiting) refuseClosedCheckIn(room, now)
  return { context, event, rooms, waiting }
}

type CheckInRow = { id: number; event_id: number }

async function saveCheckIns(connection: Connection, all: EventCheckIn[]) {
  const asked = all.flatMap(({ waiting, context: { now } }) => waiting.map(({ id }) => ({ id, now })))
  const { rows: saved } = await connection.query<{ row: CheckInRow }>({
    name: 'check-in-rooms',
    text: `UPDATE bookings SET checked_in_at = asked.now, updated_at = now()
           FROM unnest($1::bigint[], $2::timestamptz[]) AS asked (id, now) WHERE bookings.id = asked.id
           RETURNING to_jsonb(bookings) AS row`,
    values: toColumnArrays(asked, ['id', 'now']),
  })
  const after = saved.map(({ row }) => row).sort((one, other) => one.id - other.id)
  const changes = all
    .filter(({ waiting }) => waiting.length > 0)
    .map(({ event, context, waiting }) => ({
      id: event.id,
      context,
      former: event,
      before: { rooms: waiting.map(({ before }) => before) },
      after: { rooms: after.filter(({ event_id }) => event_id === event.id) },
    }))
  await recordEvents(connection, 'events.check-in', changes)
  const { rows } = await connection.query<{ id: number; at: string }>({
    name: 'find-check-ins',
    text: `SELECT event_id AS id, ${timestampText('min(checked_in_at)')} AS at FROM bookings WHERE id = ANY($1::bigint[])
           GROUP BY event_id`,
    values: [all.flatMap(({ rooms }) => rooms.map(({ id }) => id))],
  })
  const times = new Map(rows.map(({ id, at }) => [id, at]))
  return all.map(({ event: { id } }) => ({ data: { id, checked_in_at: times.get(id) ?? '' } }))
}

export const eventCheckInHandlers: Handlers<'events.check-in'> = {
  'events.check-in': (write, input) => performSingleWrite(eventCheckIns, write, input),
}
