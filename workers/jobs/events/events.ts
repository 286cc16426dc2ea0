// Events: their rules and writes. The rooms of an event are claims like any booking, all or none.
import { CREATED, type Former } from '../../../shared/changes/former.ts'
import { EVENT_CLASSIFICATIONS, EVENT_STATUSES } from '../../../shared/events/events.ts'
import { detailedEventJson, eventJson, eventRows, selectEvent } from '../../../shared/events/events-shape.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { dataText, spanColumns } from '../../../shared/schemas/json.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { type Handlers, ReplyWithETag, type Write } from '../../runtime/write.ts'
import { ENDS_TOO_EARLY, isWithin } from '../claims/checks.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { lockClaims, zoneOf } from '../claims/locks.ts'
import { findETag, requireInTokenBuildings, requireMatch, requireVersion } from '../kit/preconditions.ts'
import { isLost } from '../rules/check-in-windows.ts'
import { withOverridden } from '../rules/enforce-rules.ts'
import { findChangedAttending } from './attendee-changes.ts'
import {
  type Attending,
  findAttending,
  type Invitation,
  insertAttendees,
  replaceAttendees,
} from './attendees.ts'
import {
  claimRooms,
  findPresentRooms,
  NO_EVENT,
  refuseRoomsOfOthers,
  refuseUnbookableRooms,
  setCheckIns,
} from './rooms.ts'

type NewEvent = InputOf<'events.create'>
type Replacement = InputOf<'events.replace'>
type Content = Pick<Replacement, 'name' | 'description' | 'from_timezone' | 'to_timezone' | 'classification'>
type Present = TimeRange & {
  zone: string
  id: number
  organizer_user_id: number
  status: number
  row: Content
  rooms: number[]
  former: Former
}

type Names = 'events.create' | 'events.replace' | 'events.update' | 'events.cancel' | 'events.delete'

export const eventHandlers: Handlers<Names> = {
  async 'events.create'(write, input) {
    const span = { from: input.from_time ?? write.now, to: input.to_time }
    const { organizer_user_id: organizerId, overrides_rules } = input
    const attending = await requireValid(write, input, { span, organizerId }, (invitation, errors) =>
      findAttending(write, input.attendees ?? [], invitation, errors),
    )
    const roomIds = attending.bookableIds
    await lockClaims(write, roomIds)
    const meeting = { overrides_rules, organizerId, span }
    const overridden = await refuseUnbookableRooms(write, roomIds, meeting)
    const { id } = await write.only<{ id: number }>(
      `INSERT INTO events
         (name, description, during, from_timezone, to_timezone, classification, organizer_user_id)
       VALUES (:name, :description, tstzrange(:from, :to), :from_timezone, :to_timezone, :classification, :organizer)
       RETURNING id`,
      columnsOf(input, span, organizerId),
    )
    await insertAttendees(write, id, attending.attendees, organizerId)
    await claimRooms(write, { eventId: id, organizerId, now: write.now }, roomIds, span)
    await setCheckIns(write, roomIds, { eventId: id, organizerId, span })
    const after = withOverridden(await findEventRow(write, id), overridden)
    await write.audit({ action: 'events.create', id, former: CREATED, after })
    return finishEvent(write, id, input)
  },

  /** Resets absent fields, except the organizer and the start. Reinstates a cancelled event only explicitly. */
  async 'events.replace'(write, input) {
    const present = await lockEvent(write, input.id)
    await requireEventMatch(write, input)
    await requireVersion(write, 'events', input.id, input.version)
    return changeEvent(write, input, present, (invitation, errors) =>
      findAttending(write, input.attendees ?? [], invitation, errors),
    )
  },

  /** Keeps absent fields. */
  async 'events.update'(write, { attendees, ...input }) {
    const present = await lockEvent(write, input.id)
    await requireEventMatch(write, input)
    const { name, description, from_timezone, to_timezone, classification } = present.row
    const kept = { name, description, from_timezone, to_timezone, classification, to_time: present.to }
    return changeEvent(write, { ...kept, ...input }, present, (invitation, errors) =>
      findChangedAttending(write, attendees, { ...invitation, bookableIds: present.rooms }, errors),
    )
  },

  'events.cancel': cancelEvent,

  async 'events.delete'(write, input) {
    await cancelEvent(write, input)
    return null
  },
}

type FindAttending = (invitation: Invitation, errors: FieldErrors) => Promise<Attending>

async function changeEvent(write: Write, input: Replacement, present: Present, findPeople: FindAttending) {
  const { id } = input
  const organizerId = input.organizer_user_id ?? present.organizer_user_id
  const from = input.from_time === undefined ? present.from : (input.from_time ?? write.now)
  const span = { from, to: input.to_time }
  const attending = await requireValid(write, input, { span, organizerId, present }, findPeople)
  if (present.status === EVENT_STATUSES.cancelled && !input.reinstates) {
    const detail = message`The event is cancelled. It can be reinstated in the dashboard.`
    throw new Refusal('event_cancelled', detail)
  }
  await lockClaims(write, [...attending.bookableIds, ...present.rooms])
  // A room that was blocked or assigned since stays as a booking would: if it is neither moved nor extended.
  const isStaying = (room: number) => isWithin(span, present) && present.rooms.includes(room)
  if (organizerId !== present.organizer_user_id) {
    await refuseRoomsOfOthers(write, attending.bookableIds.filter(isStaying), organizerId)
  }
  const claimed = attending.bookableIds.filter((room) => !isStaying(room))
  const meeting = { overrides_rules: input.overrides_rules, organizerId, span }
  const overridden = await refuseUnbookableRooms(write, claimed, meeting)
  await write.run(UPDATE, { ...columnsOf(input, span, organizerId), id })
  await replaceAttendees(write, id, attending.attendees, organizerId)
  await claimAnew(write, attending.bookableIds, { eventId: id, organizerId, span, present })
  const after = withOverridden(await findEventRow(write, id), overridden)
  const { former, row: before } = present
  await write.audit({ action: 'events.replace', id, former, before, after })
  return finishEvent(write, id, input)
}

const UPDATE = `
  UPDATE events
  SET name = :name, description = :description, during = tstzrange(:from, :to), from_timezone = :from_timezone,
    to_timezone = :to_timezone, classification = :classification, organizer_user_id = :organizer,
    status = ${EVENT_STATUSES.confirmed}, updated_at = now()
  WHERE id = :id`

/** Frees its rooms. The event stays for clients that know its id. A cancelled event stays as it is. */
async function cancelEvent(write: Write, input: InputOf<'events.delete'>) {
  const { id } = input
  const present = await lockEvent(write, id)
  await requireEventMatch(write, input)
  const { former, row: before, to, zone } = present
  const reply = { data: { id, freed: present.rooms.length } }
  if (present.status === EVENT_STATUSES.cancelled) return reply
  if (to <= write.now) throw new Refusal('event_ended', message`The event ended at ${{ at: to, zone }}.`)
  await write.run('DELETE FROM bookings WHERE event_id = ?', [id])
  const cancel = 'UPDATE events SET status = ?, updated_at = now() WHERE id = ?'
  await write.run(cancel, [EVENT_STATUSES.cancelled, id])
  const after = await findEventRow(write, id)
  await write.audit({ action: 'events.cancel', id, former, before, after })
  return reply
}

type Meeting = { eventId: number; organizerId: number; span: TimeRange; present: Present }

// Claims all rooms anew in one statement: claims that it deletes itself are no conflict. But a released room
// stays released, unless the new start is in the future: calendar synchronization must not reclaim it.
async function claimAnew(write: Write, roomIds: number[], { present, ...meeting }: Meeting): Promise<void> {
  const { eventId, span } = meeting
  const { now } = write
  const rooms = await findPresentRooms(write, eventId)
  const isMovedAhead = span.from !== present.from && span.from > now
  const lost = isMovedAhead ? [] : rooms.filter((room) => isLost(room, now))
  const staying = lost.map(({ bookableId }) => bookableId).filter((id) => roomIds.includes(id))
  const remove = 'DELETE FROM bookings WHERE event_id = ? AND bookable_id <> ALL(?::bigint[])'
  await write.run(remove, [eventId, staying])
  const claimed = roomIds.filter((id) => !staying.includes(id))
  await claimRooms(write, { ...meeting, now }, claimed, span)
  await setCheckIns(write, claimed, { ...meeting, present: rooms })
}

async function requireValid(
  write: Write,
  input: NewEvent | Replacement,
  { span, organizerId, present }: { span: TimeRange; organizerId: number; present?: Present },
  findPeople: FindAttending,
): Promise<Attending> {
  const errors: FieldErrors = {}
  if (span.to <= span.from) errors.to_time = ENDS_TOO_EARLY
  const isNew = input.organizer_user_id !== undefined && organizerId !== present?.organizer_user_id
  const active = 'SELECT id FROM users WHERE id = ? AND deactivated_at IS NULL'
  if (isNew && !(await write.first(active, [organizerId])))
    errors.organizer_user_id = [message`There is no active user with this id.`]
  const attending = await findPeople({ organizerId, eventId: present?.id }, errors)
  // Without a room, the event would lie in no building, and not exist for the token that created it.
  if (write.buildingIds && attending.bookableIds.length === 0)
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

// The ETag of the event with or without its details.
async function requireEventMatch(write: Write, { id, if_match }: InputOf<'events.delete'>): Promise<void> {
  if (!if_match || if_match.includes(await findETag(write, selectEvent('?'), [id]))) return
  await requireMatch(write, if_match, selectEvent('?', detailedEventJson), [id])
}

async function lockEvent(write: Write, id: number): Promise<Present> {
  await write.requireRow('SELECT FROM events WHERE id = ? FOR UPDATE', [id], NO_EVENT)
  const found = await write.only<Omit<Present, 'rooms' | 'former'> & { rooms: Array<number | string> }>(
    `SELECT id, organizer_user_id, status, ${spanColumns('events')}, ${ROW},
       ARRAY(SELECT bookable_id FROM bookings WHERE event_id = events.id)::bigint[] AS rooms,
       coalesce((SELECT ${zoneOf('bookable_id')} FROM bookings WHERE event_id = events.id LIMIT 1), to_timezone) AS zone
     FROM events WHERE id = ?`,
    [id],
  )
  const rooms = found.rooms.map(Number)
  await requireInTokenBuildings(write, 'bookables', rooms, NO_EVENT)
  return { ...found, rooms, former: await write.readFormer('events', [id]) }
}

// The event with its attendees and rooms, for the audit log.
const ROW = `to_jsonb(events) || jsonb_build_object(
  'attendees', (SELECT jsonb_agg(to_jsonb(event_attendees) ORDER BY id) FROM event_attendees WHERE event_id = events.id),
  'bookables', (SELECT jsonb_agg(bookable_id ORDER BY bookable_id) FROM bookings WHERE event_id = events.id)
) AS row`

async function findEventRow(write: Write, id: number): Promise<unknown> {
  return (await write.only<{ row: unknown }>(`SELECT ${ROW} FROM events WHERE id = ?`, [id])).row
}

async function finishEvent(write: Write, id: number, { include }: Pick<NewEvent, 'include'>) {
  const shape = include ? dataText(detailedEventJson) : dataText(eventJson)
  const text = await write.reply(shape, `${eventRows} WHERE events.id = ?`, [id])
  return new ReplyWithETag(text, etagOf(text))
}
