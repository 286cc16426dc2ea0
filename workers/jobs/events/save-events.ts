// Saves new and changed events in batches, with their attendees and the claims of their rooms. Only the exclusion
// constraint decides whether a room is free.
import { EVENT_CLASSIFICATIONS, EVENT_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { Refusal, RefusalCode } from '../../../shared/messages/refusal.ts'
import type { Connection } from '../../runtime/connection.ts'
import { ReplyWithETag, type WriteContext } from '../../runtime/write.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { toColumnArrays } from '../rows/rows.ts'
import {
  deleteOtherAttendees,
  insertAttendees,
  resetAnswers,
  restoreAnswers,
  updateAttendees,
} from './attendees.ts'
import type { Attendee } from './match-attendees.ts'
import type { AttendeeRow, PresentEvent } from './present-events.ts'
import { recordEvents } from './record-events.ts'
import { claimRooms, claimTakenRooms, type RoomClaim } from './rooms.ts'

/**
 * The place of an event in its series. `series_id` is set only for a new event. Only the series of other systems have no
 * `occurs_at`, because Berth does not know how they repeat.
 */
export type Occurrence = { series_id?: number; occurs_at?: string }

export type EventContent = Pick<
  InputOf<'events.replace'>,
  'name' | 'description' | 'from_timezone' | 'to_timezone' | 'classification' | 'include' | 'invite'
> & { occurrence?: Occurrence }

/** An event that is to be saved. */
export type SavedMeeting = {
  id: number
  context: WriteContext
  /** The event before the change. Undefined for a new event. */
  present: PresentEvent | undefined
  content: EventContent
  span: TimeRange
  organizerId: number
  attendees: Attendee[]
  claims: RoomClaim[]
  /** The ids of the rooms whose claims stay unchanged. */
  kept: number[]
  overridden: RefusalCode[]
  /** The answers to restore. Set if the write undoes a change after which everybody had to answer again. */
  answers?: AttendeeRow[]
}

type EventReply = Awaited<ReturnType<typeof recordEvents>>[number]
type Decisions = Map<SavedMeeting, EventReply | Refusal>

/**
 * Saves events. The caller must hold the locks of the events and of all claims of their rooms. Returns results in the
 * order of the events.
 */
export async function saveEvents(
  connection: Connection,
  meetings: SavedMeeting[],
): Promise<Array<EventReply | Refusal>> {
  const decisions = await saveAllEvents(connection, meetings)
  return meetings.flatMap((meeting) => decisions.get(meeting) ?? [])
}

/**
 * Saves either all events or none, even if they take each other's place. `explain` words the refusal of an event. The
 * caller undoes what is saved if this function throws.
 */
export async function saveEventsTogether(
  connection: Connection,
  meetings: SavedMeeting[],
  explain: (refusal: Refusal, meeting: SavedMeeting) => Refusal,
): Promise<EventReply[]> {
  const taken = await saveEventRows(connection, meetings)
  for (const meeting of meetings) {
    const missing = taken.get(meeting.id)
    const conflict = missing && (await claimTakenRooms(connection, meeting, missing))
    if (conflict) throw explain(conflict, meeting)
  }
  const decisions = await recordSavedEvents(connection, meetings)
  return meetings.flatMap((meeting) => {
    const decision = decisions.get(meeting)
    return decision instanceof ReplyWithETag ? decision : []
  })
}

/** Saves all events at once. Events whose rooms are not free are saved after the others, one by one. */
async function saveAllEvents(connection: Connection, meetings: SavedMeeting[]): Promise<Decisions> {
  const [first, ...others] = meetings
  if (!first) return new Map()
  const taken = await saveEventRows(connection, meetings)
  const missing = others.length === 0 ? taken.get(first.id) : undefined
  const conflict = missing && (await claimTakenRooms(connection, first, missing))
  if (taken.size === 0 || (missing && !conflict)) return recordSavedEvents(connection, meetings)
  await connection.query('ROLLBACK TO SAVEPOINT saved')
  if (conflict) return new Map([[first, conflict]])
  const free = meetings.filter(({ id }) => !taken.has(id))
  const decisions = await saveAllEvents(connection, free)
  for (const meeting of meetings.filter(({ id }) => taken.has(id)))
    for (const [each, decision] of await saveAllEvents(connection, [meeting])) decisions.set(each, decision)
  return decisions
}

/**
 * Saves events within a savepoint, in one round trip. Returns the rooms that are not free, by the id of their event.
 */
async function saveEventRows(
  connection: Connection,
  meetings: SavedMeeting[],
): Promise<Map<number, RoomClaim[]>> {
  const isNew = meetings.every(({ present }) => !present)
  const sent = [
    connection.query('SAVEPOINT saved'),
    ...(isNew
      ? [insertEvents(connection, meetings)]
      : [
          updateEvents(connection, meetings),
          deleteRoomClaims(connection, meetings),
          acknowledgeLostRooms(connection, meetings.filter(settlesLostRooms)),
          deleteOtherAttendees(connection, meetings),
        ]),
    insertAttendees(connection, meetings),
    ...(isNew
      ? []
      : [
          updateAttendees(connection, meetings),
          resetAnswers(connection, meetings.filter(needsNewAnswers)),
          restoreAnswers(connection, meetings),
        ]),
  ]
  const [taken] = await Promise.all([claimRooms(connection, meetings), ...sent])
  return taken
}

/** Returns whether a meeting with invitations moves to another time, so that everybody must answer again. */
const needsNewAnswers = ({ present, content, span, answers }: SavedMeeting): boolean =>
  present !== undefined &&
  answers === undefined &&
  (present.invites || content.invite === true) &&
  (present.from !== span.from || present.to !== span.to)

/**
 * Returns whether the change settles the matter of lost rooms: the meeting gets another room, or its organizer gives up
 * a room.
 */
function settlesLostRooms({ present, claims, kept, context, organizerId }: SavedMeeting): boolean {
  const [before, after] = [present?.rooms ?? [], [...kept, ...claims.map(({ id }) => id)]]
  const isRemoving = before.some((id) => !after.includes(id))
  return after.some((id) => !before.includes(id)) || (isRemoving && context.userId === organizerId)
}

async function recordSavedEvents(connection: Connection, meetings: SavedMeeting[]): Promise<Decisions> {
  const isNew = meetings.every(({ present }) => !present)
  const changes = meetings.map(({ present, content, ...meeting }) => ({
    ...meeting,
    former: present,
    before: present?.row,
    isDetailed: Boolean(content.include),
  }))
  const replies = (
    await recordEvents(connection, isNew ? 'events.create' : 'events.replace', changes)
  ).values()
  return new Map(
    meetings.flatMap((meeting) => {
      const { value } = replies.next()
      return value ? [[meeting, value]] : []
    }),
  )
}

const COLUMN_TYPES = {
  id: 'bigint',
  name: 'text',
  description: 'text',
  from_time: 'timestamptz',
  to_time: 'timestamptz',
  from_timezone: 'text',
  to_timezone: 'text',
  classification: 'smallint',
  organizer: 'bigint',
  invites: 'boolean',
  series_id: 'bigint',
  occurs_at: 'timestamptz',
}
const columnNames = Object.keys(COLUMN_TYPES) as Array<keyof typeof COLUMN_TYPES>
const ASKED_SQL = `unnest(${columnNames.map((name, index) => `$${index + 1}::${COLUMN_TYPES[name]}[]`)}) WITH ORDINALITY
  AS asked (${columnNames}, ordinal)`

const getColumnValues = (meetings: SavedMeeting[]) =>
  toColumnArrays(
    meetings.map(({ id, content, span, organizerId }) => ({
      id,
      name: content.name,
      description: content.description ?? '',
      from_time: span.from,
      to_time: span.to,
      from_timezone: content.from_timezone ?? 'UTC',
      to_timezone: content.to_timezone ?? 'UTC',
      classification: content.classification ?? EVENT_CLASSIFICATIONS.default,
      organizer: organizerId,
      invites: content.invite ?? false,
      series_id: content.occurrence?.series_id ?? null,
      occurs_at: content.occurrence?.occurs_at ?? null,
    })),
    columnNames,
  )

/** Reserves this number of ids for new events. */
export async function reserveEventIds(connection: Connection, number: number): Promise<number[]> {
  if (number === 0) return []
  const { rows } = await connection.query<{ id: number }>({
    name: 'take-event-ids',
    text: "SELECT nextval(pg_get_serial_sequence('events', 'id')) AS id FROM generate_series(1, $1::integer)",
    values: [number],
  })
  return rows.map(({ id }) => id)
}

async function insertEvents(connection: Connection, meetings: SavedMeeting[]): Promise<void> {
  await connection.query({
    name: 'insert-events',
    text: `
      INSERT INTO events (id, name, description, during, from_timezone, to_timezone, classification, organizer_user_id, invites,
        series_id, occurs_at)
      OVERRIDING SYSTEM VALUE
      SELECT id, name, description, tstzrange(from_time, to_time), from_timezone, to_timezone, classification, organizer, invites,
        series_id, occurs_at
      FROM ${ASKED_SQL} ORDER BY ordinal`,
    values: getColumnValues(meetings),
  })
}

async function updateEvents(connection: Connection, meetings: SavedMeeting[]): Promise<void> {
  await connection.query({
    name: 'update-events',
    text: `
      UPDATE events
      SET name = asked.name, description = asked.description, during = tstzrange(from_time, to_time),
        from_timezone = asked.from_timezone, to_timezone = asked.to_timezone, classification = asked.classification,
        organizer_user_id = organizer, invites = events.invites OR asked.invites,
        occurs_at = coalesce(asked.occurs_at, events.occurs_at), status = ${EVENT_STATUSES.confirmed}, updated_at = now()
      FROM ${ASKED_SQL} WHERE events.id = asked.id`,
    values: getColumnValues(meetings),
  })
}

/**
 * Deletes the claims that the events no longer need. Must run before rooms are claimed, because deleted claims cause no
 * conflict.
 */
async function deleteRoomClaims(connection: Connection, meetings: SavedMeeting[]): Promise<void> {
  const kept = meetings.flatMap(({ id, kept }) => kept.map((bookableId) => ({ id, bookableId })))
  await connection.query({
    name: 'delete-claims',
    text: `
      DELETE FROM bookings WHERE event_id = ANY($1::bigint[])
        AND (event_id, bookable_id) NOT IN (SELECT * FROM unnest($2::bigint[], $3::bigint[]))`,
    values: [meetings.map(({ id }) => id), ...toColumnArrays(kept, ['id', 'bookableId'])],
  })
}

/**
 * Marks the lost rooms of the meetings as acknowledged. Must run after claims are deleted, because the rooms that the
 * organizer gives up then also count as lost.
 */
async function acknowledgeLostRooms(connection: Connection, meetings: SavedMeeting[]): Promise<void> {
  if (meetings.length === 0) return
  await connection.query({
    name: 'acknowledge-lost-rooms',
    text: 'UPDATE cancelled_bookings SET acknowledged = true WHERE event_id = ANY($1::bigint[]) AND NOT acknowledged',
    values: [meetings.map(({ id }) => id)],
  })
}
