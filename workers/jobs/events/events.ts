// Events: their rules and writes. The rooms of an event are claims like any booking, all or none.
import { audit } from '../../../shared/audit/audit.ts'
import { CREATED, type Former, readFormer } from '../../../shared/changes/former.ts'
import { EVENT_CLASSIFICATIONS, EVENT_STATUSES } from '../../../shared/events/events.ts'
import { eventJson, eventRows, selectEvent } from '../../../shared/events/events-shape.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { dataText, spanColumns } from '../../../shared/schemas/json.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { type Handlers, ReplyWithETag, type Transaction, type WorkContext } from '../../runtime/context.ts'
import { queryFirst, queryOnly, queryReply, requireRow } from '../../runtime/statements.ts'
import { ENDS_TOO_EARLY, isWithin } from '../claims/checks.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { lockClaims, zoneOf } from '../claims/locks.ts'
import { requireAllWithin } from '../kit/building-limits.ts'
import { requireMatch, requireVersion } from '../kit/preconditions.ts'
import { isLost } from '../rules/check-in-windows.ts'
import { withOverridden } from '../rules/enforce-rules.ts'
import { type Attending, findAttending } from './attendee-input.ts'
import { insertAttendees, replaceAttendees } from './attendees.ts'
import { findPresentRooms, NO_EVENT, setCheckIns } from './check-ins.ts'
import { claimRooms, refuseRoomsOfOthers, refuseUnbookableRooms } from './rooms.ts'

type NewEvent = InputOf<'events.create'>
type Replacement = InputOf<'events.replace'>
type Present = TimeRange & {
  zone: string
  id: number
  organizer_user_id: number
  status: number
  row: unknown
  rooms: number[]
  former: Former
}

type Names = 'events.create' | 'events.replace' | 'events.cancel' | 'events.delete'

export const eventHandlers: Handlers<Names> = {
  async 'events.create'(trx, input, context) {
    const span = { from: input.from_time ?? context.now, to: input.to_time }
    const { organizer_user_id: organizerId, overrides_rules } = input
    const attending = await requireValid(trx, input, context, { span, organizerId })
    const roomIds = attending.bookableIds
    await lockClaims(trx, roomIds)
    const meeting = { overrides_rules, organizerId, span }
    const overridden = await refuseUnbookableRooms(trx, roomIds, meeting, context)
    const { id } = await queryOnly<{ id: number }>(
      trx,
      `INSERT INTO events
         (name, description, during, from_timezone, to_timezone, classification, organizer_user_id)
       VALUES (:name, :description, tstzrange(:from, :to), :from_timezone, :to_timezone, :classification, :organizer)
       RETURNING id`,
      columnsOf(input, span, organizerId),
    )
    await insertAttendees(trx, id, attending.attendees, organizerId)
    await claimRooms(trx, { eventId: id, organizerId, now: context.now }, roomIds, span)
    await setCheckIns(trx, roomIds, { eventId: id, organizerId, span }, context)
    const after = withOverridden(await findEventRow(trx, id), overridden)
    await audit(trx, context, { action: 'events.create', id, former: CREATED, after })
    return finishEvent(trx, id)
  },

  /** Resets absent fields, except the organizer and the start. Reinstates a cancelled event only explicitly. */
  async 'events.replace'(trx, input, context) {
    const { id } = input
    const present = await lockEvent(trx, id, context)
    await requireMatch(trx, input.if_match, selectEvent('?'), [id])
    await requireVersion(trx, 'events', id, input.version)
    const organizerId = input.organizer_user_id ?? present.organizer_user_id
    const from = input.from_time === undefined ? present.from : (input.from_time ?? context.now)
    const span = { from, to: input.to_time }
    const attending = await requireValid(trx, input, context, { span, organizerId, present })
    if (present.status === EVENT_STATUSES.cancelled && !input.reinstates) {
      throw new Refusal(
        'event_cancelled',
        message`The event is cancelled. It can be reinstated in the dashboard.`,
      )
    }
    await lockClaims(trx, [...attending.bookableIds, ...present.rooms])
    // A room that was blocked or assigned since stays as a booking would: if it is neither moved nor extended.
    const isStaying = (room: number) => isWithin(span, present) && present.rooms.includes(room)
    if (organizerId !== present.organizer_user_id) {
      await refuseRoomsOfOthers(trx, attending.bookableIds.filter(isStaying), organizerId)
    }
    const claimed = attending.bookableIds.filter((room) => !isStaying(room))
    const meeting = { overrides_rules: input.overrides_rules, organizerId, span }
    const overridden = await refuseUnbookableRooms(trx, claimed, meeting, context)
    await trx.raw(UPDATE, { ...columnsOf(input, span, organizerId), id })
    await replaceAttendees(trx, id, attending.attendees, organizerId)
    await claimAnew(trx, attending.bookableIds, { eventId: id, organizerId, span, present }, context)
    const after = withOverridden(await findEventRow(trx, id), overridden)
    const { former, row: before } = present
    await audit(trx, context, { action: 'events.replace', id, former, before, after })
    return finishEvent(trx, id)
  },

  'events.cancel': cancelEvent,

  async 'events.delete'(trx, input, context) {
    await cancelEvent(trx, input, context)
    return null
  },
}

const UPDATE = `
  UPDATE events
  SET name = :name, description = :description, during = tstzrange(:from, :to), from_timezone = :from_timezone,
    to_timezone = :to_timezone, classification = :classification, organizer_user_id = :organizer,
    status = ${EVENT_STATUSES.confirmed}, updated_at = now()
  WHERE id = :id`

/** Frees its rooms. The event stays for clients that know its id. A cancelled event stays as it is. */
async function cancelEvent(
  trx: Transaction,
  { id, if_match }: InputOf<'events.delete'>,
  context: WorkContext,
) {
  const present = await lockEvent(trx, id, context)
  await requireMatch(trx, if_match, selectEvent('?'), [id])
  const { former, row: before, to, zone } = present
  const reply = { data: { id, freed: present.rooms.length } }
  if (present.status === EVENT_STATUSES.cancelled) return reply
  if (to <= context.now) throw new Refusal('event_ended', message`The event ended at ${{ at: to, zone }}.`)
  await trx.raw('DELETE FROM bookings WHERE event_id = ?', [id])
  const cancel = 'UPDATE events SET status = ?, updated_at = now() WHERE id = ?'
  await trx.raw(cancel, [EVENT_STATUSES.cancelled, id])
  const after = await findEventRow(trx, id)
  await audit(trx, context, { action: 'events.cancel', id, former, before, after })
  return reply
}

type Meeting = { eventId: number; organizerId: number; span: TimeRange; present: Present }

// Claims all rooms anew in one statement: claims that it deletes itself are no conflict. But a released room
// stays released, unless the new start is in the future: calendar synchronization must not reclaim it.
async function claimAnew(
  trx: Transaction,
  roomIds: number[],
  { present, ...meeting }: Meeting,
  context: WorkContext,
): Promise<void> {
  const { eventId, span } = meeting
  const { now } = context
  const rooms = await findPresentRooms(trx, eventId)
  const isMovedAhead = span.from !== present.from && span.from > now
  const lost = isMovedAhead ? [] : rooms.filter((room) => isLost(room, now))
  const staying = lost.map(({ bookableId }) => bookableId).filter((id) => roomIds.includes(id))
  const remove = 'DELETE FROM bookings WHERE event_id = ? AND bookable_id <> ALL(?::bigint[])'
  await trx.raw(remove, [eventId, staying])
  const claimed = roomIds.filter((id) => !staying.includes(id))
  await claimRooms(trx, { ...meeting, now }, claimed, span)
  await setCheckIns(trx, claimed, { ...meeting, present: rooms }, context)
}

async function requireValid(
  trx: Transaction,
  input: NewEvent | Replacement,
  context: WorkContext,
  { span, organizerId, present }: { span: TimeRange; organizerId: number; present?: Present },
): Promise<Attending> {
  const errors: FieldErrors = {}
  if (span.to <= span.from) errors.to_time = ENDS_TOO_EARLY
  const isNew = input.organizer_user_id !== undefined && organizerId !== present?.organizer_user_id
  const active = 'SELECT id FROM users WHERE id = ? AND deactivated_at IS NULL'
  if (isNew && !(await queryFirst(trx, active, [organizerId])))
    errors.organizer_user_id = [message`There is no active user with this id.`]
  const invitation = { organizerId, eventId: present?.id, context }
  const attending = await findAttending(trx, input.attendees ?? [], invitation, errors)
  // Without a room, the event would lie in no building, and not exist for the token that created it.
  if (context.buildingIds && attending.bookableIds.length === 0)
    errors.attendees ??= [message`At least one bookable is required: this token is limited to buildings.`]
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return attending
}

function columnsOf(input: NewEvent | Replacement, { from, to }: TimeRange, organizerId: number) {
  return {
    name: input.name,
    description: input.description ?? '',
    from,
    to,
    from_timezone: input.from_timezone ?? 'UTC',
    to_timezone: input.to_timezone ?? 'UTC',
    classification: input.classification ?? EVENT_CLASSIFICATIONS.default,
    organizer: organizerId,
  }
}

async function lockEvent(trx: Transaction, id: number, context: WorkContext): Promise<Present> {
  await requireRow(trx, 'SELECT FROM events WHERE id = ? FOR UPDATE', [id], NO_EVENT)
  const found = await queryOnly<Omit<Present, 'rooms' | 'former'> & { rooms: Array<number | string> }>(
    trx,
    `SELECT id, organizer_user_id, status, ${spanColumns('events')}, ${ROW},
       ARRAY(SELECT bookable_id FROM bookings WHERE event_id = events.id)::bigint[] AS rooms,
       coalesce((SELECT ${zoneOf('bookable_id')} FROM bookings WHERE event_id = events.id LIMIT 1), to_timezone) AS zone
     FROM events WHERE id = ?`,
    [id],
  )
  const rooms = found.rooms.map(Number)
  await requireAllWithin(trx, context, 'bookables', rooms, NO_EVENT)
  return { ...found, rooms, former: await readFormer(trx, 'events', [id]) }
}

// The event with its attendees and rooms, for the audit log.
const ROW = `to_jsonb(events) || jsonb_build_object(
  'attendees', (SELECT jsonb_agg(to_jsonb(event_attendees) ORDER BY id) FROM event_attendees WHERE event_id = events.id),
  'bookables', (SELECT jsonb_agg(bookable_id ORDER BY bookable_id) FROM bookings WHERE event_id = events.id)
) AS row`

async function findEventRow(trx: Transaction, id: number): Promise<unknown> {
  return (await queryOnly<{ row: unknown }>(trx, `SELECT ${ROW} FROM events WHERE id = ?`, [id])).row
}

async function finishEvent(trx: Transaction, id: number) {
  const text = await queryReply(trx, dataText(eventJson), `${eventRows} WHERE events.id = ?`, [id])
  return new ReplyWithETag(text, etagOf(text))
}
