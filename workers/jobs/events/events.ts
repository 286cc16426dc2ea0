// Events: their rules and writes. The rooms of an event are claims like any booking, all or none.

import { audit } from '../../../shared/audit/audit.ts'
import { CREATED, type Former, readFormer } from '../../../shared/changes/former.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { EVENT_CLASSIFICATIONS, EVENT_STATUSES, type Event } from '../../../shared/events/events.ts'
import { eventJson, eventRows, selectEvent } from '../../../shared/events/events-shape.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { dataText, spanColumns } from '../../../shared/schemas/json.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { ReplyWithETag, type Transaction, type WorkContext } from '../../runtime/context.ts'
import { finishReply } from '../../runtime/finished-reply.ts'
import { ENDS_TOO_EARLY, isWithin } from '../claims/checks.ts'
import type { Span } from '../claims/conflicts.ts'
import { lockClaims, zoneOf } from '../claims/locks.ts'
import { requireAllWithin } from '../kit/building-limits.ts'
import { requireMatch } from '../kit/preconditions.ts'
import { requireVersion } from '../kit/versions.ts'
import { withOverridden } from '../rules/overrides.ts'
import { type Attending, findAttending, isActiveUser } from './attendee-input.ts'
import { insertAttendees, replaceAttendees } from './attendees.ts'
import { findPresentRooms, NO_EVENT, setCheckIns } from './check-ins.ts'
import { claimRooms, refuseRoomsOfOthers, refuseUnbookableRooms } from './rooms.ts'

type NewEvent = InputOf<'events.create'>
type Replacement = InputOf<'events.replace'>
type Found = Span & { zone: string; id: number; organizer_user_id: number; status: number; row: unknown }
type Present = Found & { rooms: number[]; former: Former }

export async function createEvent(
  trx: Transaction,
  input: NewEvent,
  context: WorkContext,
): Promise<ReplyWithETag<ReplyOf<'events.create'>>> {
  const span = { from: input.from_time ?? context.now, to: input.to_time }
  const attending = await requireValid(trx, input, context, { span, organizerId: input.organizer_user_id })
  await lockClaims(trx, attending.bookableIds)
  const { overrides_rules, organizer_user_id: organizerId } = input
  const meeting = { overrides_rules, organizerId, span }
  const overridden = await refuseUnbookableRooms(trx, attending.bookableIds, meeting, context)
  const id = await insertEvent(trx, input, span, input.organizer_user_id)
  await insertAttendees(trx, id, attending.attendees, input.organizer_user_id)
  const claimant = { eventId: id, organizerId, now: context.now }
  await claimRooms(trx, claimant, attending.bookableIds, span)
  await setCheckIns(trx, attending.bookableIds, { eventId: id, organizerId, span }, context)
  const after = withOverridden(await findEventRow(trx, id), overridden)
  const change = { action: 'events.create', resource: 'events', resourceId: id, former: CREATED } as const
  await audit(trx, context, { ...change, after })
  return finishEvent(trx, id)
}

/** Resets absent fields, except the organizer and the start. Reinstates a cancelled event only explicitly. */
export async function replaceEvent(
  trx: Transaction,
  input: Replacement,
  context: WorkContext,
): Promise<ReplyWithETag<ReplyOf<'events.replace'>>> {
  const present = await lockEvent(trx, input.id, context)
  await requireMatch(trx, input.if_match, selectEvent('?'), [input.id])
  await requireVersion(trx, 'events', input.id, input.version)
  const organizerId = input.organizer_user_id ?? present.organizer_user_id
  const span = {
    from: input.from_time === undefined ? present.from : (input.from_time ?? context.now),
    to: input.to_time,
  }
  const attending = await requireValid(trx, input, context, { span, organizerId, present })
  if (present.status === EVENT_STATUSES.cancelled && !input.reinstates) {
    throw new Refusal(
      'event_cancelled',
      message`The event is cancelled. It can be reinstated in the dashboard.`,
    )
  }
  await lockClaims(trx, [...attending.bookableIds, ...present.rooms])
  // A room that was blocked or assigned since stays as a booking would: if it is neither moved nor extended.
  const isStaying = (id: number) => isWithin(span, present) && present.rooms.includes(id)
  if (organizerId !== present.organizer_user_id) {
    await refuseRoomsOfOthers(trx, attending.bookableIds.filter(isStaying), organizerId)
  }
  const claimed = attending.bookableIds.filter((id) => !isStaying(id))
  const meeting = { overrides_rules: input.overrides_rules, organizerId, span }
  const overridden = await refuseUnbookableRooms(trx, claimed, meeting, context)
  await updateEvent(trx, input, span, organizerId)
  await replaceAttendees(trx, input.id, attending.attendees, organizerId)
  await claimAnew(trx, attending.bookableIds, { eventId: input.id, organizerId, span, present }, context)
  const after = withOverridden(await findEventRow(trx, input.id), overridden)
  const change = { action: 'events.replace', resource: 'events', resourceId: input.id } as const
  await audit(trx, context, { ...change, former: present.former, before: present.row, after })
  return finishEvent(trx, input.id)
}

type Meeting = { eventId: number; organizerId: number; span: Span; present: Present }

// Claims all rooms anew in one statement: claims that it deletes itself are no conflict. But a released room
// stays released, unless the new start is in the future: calendar synchronization must not reclaim it.
async function claimAnew(
  trx: Transaction,
  roomIds: number[],
  { present, ...meeting }: Meeting,
  context: WorkContext,
): Promise<void> {
  const { eventId, span } = meeting
  const rooms = await findPresentRooms(trx, eventId, context)
  const isMovedAhead = span.from !== present.from && span.from > context.now
  const lost = isMovedAhead ? [] : rooms.filter(({ isLost }) => isLost)
  const staying = lost.map(({ bookableId }) => bookableId).filter((id) => roomIds.includes(id))
  await trx.raw('DELETE FROM bookings WHERE event_id = ? AND bookable_id <> ALL(?::bigint[])', [
    eventId,
    staying,
  ])
  const claimed = roomIds.filter((id) => !staying.includes(id))
  await claimRooms(trx, { ...meeting, now: context.now }, claimed, span)
  await setCheckIns(trx, claimed, { ...meeting, present: rooms }, context)
}

/** Frees its rooms. The event stays for clients that know its id. A cancelled event stays as it is. */
export async function cancelEvent(
  trx: Transaction,
  { id, if_match }: InputOf<'events.cancel'> & Pick<InputOf<'events.delete'>, 'if_match'>,
  context: WorkContext,
): Promise<ReplyOf<'events.cancel'>> {
  const present = await lockEvent(trx, id, context)
  await requireMatch(trx, if_match, selectEvent('?'), [id])
  const freed = present.rooms.length
  if (present.status === EVENT_STATUSES.cancelled) return { data: { id, freed } }
  if (present.to <= context.now) {
    throw new Refusal('event_ended', message`The event ended at ${{ at: present.to, zone: present.zone }}.`)
  }
  await trx.raw('DELETE FROM bookings WHERE event_id = ?', [id])
  await trx.raw('UPDATE events SET status = ?, updated_at = now() WHERE id = ?', [
    EVENT_STATUSES.cancelled,
    id,
  ])
  const { former, row: before } = present
  const change = { action: 'events.cancel', resource: 'events', resourceId: id, former } as const
  await audit(trx, context, { ...change, before, after: await findEventRow(trx, id) })
  return { data: { id, freed } }
}

export async function deleteEvent(
  trx: Transaction,
  input: InputOf<'events.delete'>,
  context: WorkContext,
): Promise<null> {
  await cancelEvent(trx, input, context)
  return null
}

async function requireValid(
  trx: Transaction,
  input: NewEvent | Replacement,
  context: WorkContext,
  { span, organizerId, present }: { span: Span; organizerId: number; present?: Present },
): Promise<Attending> {
  const errors: FieldErrors = {}
  if (span.to <= span.from) errors.to_time = ENDS_TOO_EARLY
  const isNew = input.organizer_user_id !== undefined && organizerId !== present?.organizer_user_id
  if (isNew && !(await isActiveUser(trx, organizerId)))
    errors.organizer_user_id = [message`There is no active user with this id.`]
  const attending = await findAttending(
    trx,
    input.attendees ?? [],
    { organizerId, eventId: present?.id, context },
    errors,
  )
  // Without a room, the event would lie in no building, and not exist for the token that created it.
  if (context.buildingIds && attending.bookableIds.length === 0)
    errors.attendees ??= [message`At least one bookable is required: this token is limited to buildings.`]
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return attending
}

function columnsOf(input: NewEvent | Replacement, { from, to }: Span, organizerId: number) {
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

async function insertEvent(
  trx: Transaction,
  input: NewEvent,
  span: Span,
  organizerId: number,
): Promise<number> {
  const { rows } = await trx.raw(
    `INSERT INTO events
       (name, description, during, from_timezone, to_timezone, classification, organizer_user_id)
     VALUES (:name, :description, tstzrange(:from, :to), :from_timezone, :to_timezone, :classification, :organizer)
     RETURNING id`,
    columnsOf(input, span, organizerId),
  )
  return onlyRow<{ id: number }>(rows).id
}

async function updateEvent(trx: Transaction, input: Replacement, span: Span, organizerId: number) {
  await trx.raw(
    `UPDATE events
     SET name = :name, description = :description, during = tstzrange(:from, :to), from_timezone = :from_timezone,
       to_timezone = :to_timezone, classification = :classification, organizer_user_id = :organizer,
       status = ${EVENT_STATUSES.confirmed}, updated_at = now()
     WHERE id = :id`,
    { ...columnsOf(input, span, organizerId), id: input.id },
  )
}

async function lockEvent(trx: Transaction, id: number, context: WorkContext): Promise<Present> {
  const locked = await trx.raw('SELECT FROM events WHERE id = ? FOR UPDATE', [id])
  if (locked.rows.length === 0) throw new Refusal('not_found', NO_EVENT)
  const { rows } = await trx.raw(
    `SELECT id, organizer_user_id, status, ${spanColumns('events')}, ${ROW},
       ARRAY(SELECT bookable_id FROM bookings WHERE event_id = events.id)::bigint[] AS rooms,
       coalesce((SELECT ${zoneOf('bookable_id')} FROM bookings WHERE event_id = events.id LIMIT 1), to_timezone) AS zone
     FROM events WHERE id = ?`,
    [id],
  )
  const present = onlyRow<Found & { rooms: Array<number | string> }>(rows)
  const rooms = present.rooms.map(Number)
  await requireAllWithin(trx, context, 'bookables', rooms, NO_EVENT)
  return { ...present, rooms, former: await readFormer(trx, 'events', [id]) }
}

// The event with its attendees and rooms, for the audit log.
const ROW = `to_jsonb(events) || jsonb_build_object(
  'attendees', (SELECT jsonb_agg(to_jsonb(event_attendees) ORDER BY id) FROM event_attendees WHERE event_id = events.id),
  'bookables', (SELECT jsonb_agg(bookable_id ORDER BY bookable_id) FROM bookings WHERE event_id = events.id)
) AS row`

async function findEventRow(trx: Transaction, id: number): Promise<unknown> {
  const { rows } = await trx.raw(`SELECT ${ROW} FROM events WHERE id = ?`, [id])
  return onlyRow<{ row: unknown }>(rows).row
}

async function finishEvent(trx: Transaction, id: number): Promise<ReplyWithETag<{ data: Event }>> {
  const statement = (text: string) => `SELECT ${text} FROM ${eventRows} WHERE events.id = ?`
  const { text } = await finishReply(trx, dataText(eventJson), statement, [id])
  return new ReplyWithETag(text, etagOf(text))
}
