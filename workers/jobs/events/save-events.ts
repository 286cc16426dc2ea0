// Saves new and changed events, as many as come together, with their attendees and the claims of their rooms. The
// exclusion constraint alone decides whether there is room.
import { EVENT_CLASSIFICATIONS, EVENT_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { Refusal, RefusalCode } from '../../../shared/messages/refusal.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { WriteContext } from '../../runtime/write.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { arraysOf } from '../rows/rows.ts'
import { deleteOtherAttendees, insertAttendees, updateRoles } from './attendees.ts'
import type { Attendee } from './match-attendees.ts'
import type { Present } from './present-events.ts'
import { recordEvents } from './record-events.ts'
import { type Claim, claimRooms, claimTaken } from './rooms.ts'

export type Content = Pick<
  InputOf<'events.replace'>,
  'name' | 'description' | 'from_timezone' | 'to_timezone' | 'classification' | 'include'
>

/** An event as it is to be saved. */
export type Meeting = {
  id: number
  context: WriteContext
  /** The event before the change; unset for a new one. */
  present: Present | undefined
  content: Content
  span: TimeRange
  organizerId: number
  attendees: Attendee[]
  claims: Claim[]
  /** Rooms whose claims stay as they are. */
  kept: number[]
  overridden: RefusalCode[]
}

type Reply = Awaited<ReturnType<typeof recordEvents>>[number]
type Decisions = Map<Meeting, Reply | Refusal>

/** The caller holds the locks of the events and of all claims of their rooms. Results are in the order of the events. */
export async function saveEvents(
  connection: Connection,
  meetings: Meeting[],
): Promise<Array<Reply | Refusal>> {
  const decisions = await saveAll(connection, meetings)
  return meetings.flatMap((meeting) => decisions.get(meeting) ?? [])
}

/** All at once. If rooms of some are taken, these are saved after the others, one by one. */
async function saveAll(connection: Connection, meetings: Meeting[]): Promise<Decisions> {
  const [first, ...others] = meetings
  if (!first) return new Map()
  const taken = await saveRows(connection, meetings)
  const missing = others.length === 0 ? taken.get(first.id) : undefined
  const conflict = missing && (await claimTaken(connection, first, missing))
  if (taken.size === 0 || (missing && !conflict)) return record(connection, meetings)
  await connection.query('ROLLBACK TO SAVEPOINT saved')
  if (conflict) return new Map([[first, conflict]])
  const free = meetings.filter(({ id }) => !taken.has(id))
  const decisions = await saveAll(connection, free)
  for (const meeting of meetings.filter(({ id }) => taken.has(id)))
    for (const [each, decision] of await saveAll(connection, [meeting])) decisions.set(each, decision)
  return decisions
}

/** To a savepoint, in one packet. Returns the rooms that are taken, by the id of their event. */
async function saveRows(connection: Connection, meetings: Meeting[]): Promise<Map<number, Claim[]>> {
  const isNew = meetings.every(({ present }) => !present)
  const sent = [
    connection.query('SAVEPOINT saved'),
    ...(isNew
      ? [insertEvents(connection, meetings)]
      : [
          updateEvents(connection, meetings),
          deleteClaims(connection, meetings),
          deleteOtherAttendees(connection, meetings),
        ]),
    insertAttendees(connection, meetings),
    ...(isNew ? [] : [updateRoles(connection, meetings)]),
  ]
  const [taken] = await Promise.all([claimRooms(connection, meetings), ...sent])
  return taken
}

async function record(connection: Connection, meetings: Meeting[]): Promise<Decisions> {
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

const COLUMNS = {
  id: 'bigint',
  name: 'text',
  description: 'text',
  from_time: 'timestamptz',
  to_time: 'timestamptz',
  from_timezone: 'text',
  to_timezone: 'text',
  classification: 'smallint',
  organizer: 'bigint',
}
const names = Object.keys(COLUMNS) as Array<keyof typeof COLUMNS>
const ASKED = `unnest(${names.map((name, index) => `$${index + 1}::${COLUMNS[name]}[]`)}) WITH ORDINALITY
  AS asked (${names}, ordinal)`

const valuesOf = (meetings: Meeting[]) =>
  arraysOf(
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
    })),
    names,
  )

/** As many ids for new events. */
export async function takeIds(connection: Connection, number: number): Promise<number[]> {
  if (number === 0) return []
  const { rows } = await connection.query<{ id: number }>({
    name: 'take-event-ids',
    text: "SELECT nextval(pg_get_serial_sequence('events', 'id')) AS id FROM generate_series(1, $1::integer)",
    values: [number],
  })
  return rows.map(({ id }) => id)
}

async function insertEvents(connection: Connection, meetings: Meeting[]): Promise<void> {
  await connection.query({
    name: 'insert-events',
    text: `
      INSERT INTO events (id, name, description, during, from_timezone, to_timezone, classification, organizer_user_id)
      OVERRIDING SYSTEM VALUE
      SELECT id, name, description, tstzrange(from_time, to_time), from_timezone, to_timezone, classification, organizer
      FROM ${ASKED} ORDER BY ordinal`,
    values: valuesOf(meetings),
  })
}

async function updateEvents(connection: Connection, meetings: Meeting[]): Promise<void> {
  await connection.query({
    name: 'update-events',
    text: `
      UPDATE events
      SET name = asked.name, description = asked.description, during = tstzrange(from_time, to_time),
        from_timezone = asked.from_timezone, to_timezone = asked.to_timezone, classification = asked.classification,
        organizer_user_id = organizer, status = ${EVENT_STATUSES.confirmed}, updated_at = now()
      FROM ${ASKED} WHERE events.id = asked.id`,
    values: valuesOf(meetings),
  })
}

/** Before rooms are claimed: claims that are deleted in time are no conflict. */
async function deleteClaims(connection: Connection, meetings: Meeting[]): Promise<void> {
  const kept = meetings.flatMap(({ id, kept }) => kept.map((bookableId) => ({ id, bookableId })))
  await connection.query({
    name: 'delete-claims',
    text: `
      DELETE FROM bookings WHERE event_id = ANY($1::bigint[])
        AND (event_id, bookable_id) NOT IN (SELECT * FROM unnest($2::bigint[], $3::bigint[]))`,
    values: [meetings.map(({ id }) => id), ...arraysOf(kept, ['id', 'bookableId'])],
  })
}
