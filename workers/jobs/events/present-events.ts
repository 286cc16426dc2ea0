// Locks events in batches before a write. Refuses a write if the caller cannot see its event or expects another version
// of it.
import { getPlace } from '../../../shared/changes/buildings.ts'
import { changedDataSql } from '../../../shared/changes/changes-shape.ts'
import { createEventShapesFor, selectEventSql } from '../../../shared/events/events-shape.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { spanColumns } from '../../../shared/schemas/json.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import { type Connection, sendPipelined } from '../../runtime/connection.ts'
import { type BatchedWrite, catchRefusal } from '../../runtime/write.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { zoneSql } from '../claims/locks.ts'
import { listAttendingUsers, refuseUnlessOrganizer } from '../rows/personal-tokens.ts'
import {
  findOutsideTokenBuildings,
  findVersions,
  refuseOtherETag,
  refuseOtherVersion,
  refuseOutsideTokenBuildings,
} from '../rows/preconditions.ts'
import { toColumnArrays } from '../rows/rows.ts'
import { findHiddenUsers } from './hidden-attendees.ts'

export const EVENT_NOT_FOUND = message`There is no meeting with this id.`

type EventContent = Pick<
  InputOf<'events.replace'>,
  'name' | 'description' | 'from_timezone' | 'to_timezone' | 'classification'
>
export type AttendeeRow = {
  id: number
  user_id: number | null
  email: string | null
  name: string | null
  visitor_id: number | null
  status: number
  answered_at?: string | null
}

/** An event before a write. `row` is for the audit log; `shown` and `buildings` are for the outbox. */
export type PresentEvent = TimeRange & {
  id: number
  organizer_user_id: number
  status: number
  /** Whether Berth mails its attendees about the event and its changes. */
  invites: boolean
  zone: string
  row: EventContent & { attendees: AttendeeRow[] | null; occurs_at?: string | null }
  rooms: number[]
  shown: string
  buildings: number[]
  /** The ids of the attendees who are hidden from the person making the write. That person sees them as visitors. */
  hidden?: ReadonlySet<number>
}

/** Returns the id of an attendee as responses show it to the caller. */
export const getShownId = (
  { hidden }: Pick<PresentEvent, 'hidden'>,
  { id, user_id, visitor_id }: AttendeeRow,
): number => (user_id !== null && hidden?.has(user_id) ? null : user_id) ?? visitor_id ?? id

/** SQL for an event with its attendees and rooms, as the audit log stores it. */
export const AUDITED_EVENT = `to_jsonb(events) || jsonb_build_object(
  'attendees', (SELECT jsonb_agg(to_jsonb(event_attendees) ORDER BY id) FROM event_attendees WHERE event_id = events.id),
  'bookables', (SELECT jsonb_agg(bookable_id ORDER BY bookable_id) FROM bookings WHERE event_id = events.id)
)`

const FIND_SQL = `
  SELECT events.id, organizer_user_id, status, invites, ${spanColumns('events')}, ${AUDITED_EVENT} AS row,
    to_json(ARRAY(SELECT bookable_id FROM bookings WHERE event_id = events.id ORDER BY bookable_id)) AS rooms,
    coalesce((SELECT ${zoneSql('bookable_id')} FROM bookings WHERE event_id = events.id LIMIT 1), to_timezone) AS zone,
    ${changedDataSql('events', 'asked.id')} AS shown, to_json(${getPlace('events', 'asked.id')}) AS buildings
  FROM unnest($1::bigint[]) AS asked (id) JOIN events ON events.id = asked.id`

/** Locks events and returns them by id. Their data is read only after they are locked. */
export async function lockEventRows(
  connection: Connection,
  ids: number[],
): Promise<Map<number, PresentEvent>> {
  const values = [ids]
  const [, { rows }] = await sendPipelined(
    connection,
    () =>
      connection.query({
        name: 'lock-events',
        text: 'SELECT FROM events WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE',
        values,
      }),
    () => connection.query<PresentEvent>({ name: 'find-locked-events', text: FIND_SQL, values }),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

type LockInput = { id: number; if_match?: string[] | undefined; version?: string | undefined }

/** Returns, for each write in order, either the locked event or why the write is refused. */
export async function lockEvents(
  connection: Connection,
  writes: Array<BatchedWrite<LockInput>>,
  refuseOthers = refuseUnlessOrganizer,
): Promise<Array<PresentEvent | Refusal>> {
  const found = await lockEventRows(
    connection,
    writes.map(({ input }) => input.id),
  )
  const rooms = writes.flatMap(({ input, context }) =>
    (found.get(input.id)?.rooms ?? []).map((id) => ({ context, id, eventId: input.id })),
  )
  const outside = await findOutsideTokenBuildings(connection, 'bookables', rooms)
  const bodies = await findEventBodies(connection, writes)
  const versions = await findVersions(connection, 'events', writes)
  const hidden = await findHiddenUsers(
    connection,
    writes.map(({ input, context }) => {
      const event = found.get(input.id)
      return { viewer: context.userId, userIds: event ? listAttendingUsers(event) : [] }
    }),
  )
  return writes.map(({ input, context }, index) => {
    const { id, if_match, version } = input
    const event = found.get(id)
    if (!event) return new Refusal('not_found', EVENT_NOT_FOUND)
    return catchRefusal(() => {
      refuseOthers(context, event, EVENT_NOT_FOUND)
      const within = rooms.filter(({ eventId }, index) => eventId === id && !outside.has(index))
      if (context.buildingIds) refuseOutsideTokenBuildings(within.length, event.rooms.length, EVENT_NOT_FOUND)
      if (if_match) refuseOtherETags(if_match, bodies.get(id))
      const present = versions.get(id)
      if (version !== undefined && present) refuseOtherVersion(version, present)
      return { ...event, hidden: hidden[index] ?? new Set() }
    })
  })
}

const SHOWN_EVENT = createEventShapesFor('asked.viewer')

type EventBodies = { id: number; plain: string; detailed: string }

// Refuses unless one of these ETags is current. The ETag may be that of the event with or without its details.
function refuseOtherETags(etags: string[], bodies: EventBodies | undefined): void {
  if (!etags.includes(computeEtag(bodies?.plain ?? '')))
    refuseOtherETag(etags, computeEtag(bodies?.detailed ?? ''))
}

async function findEventBodies(connection: Connection, writes: Array<BatchedWrite<LockInput>>) {
  const asked = writes.flatMap(({ input: { id, if_match }, context: { userId } }) =>
    if_match ? [{ id, viewer: userId ?? null }] : [],
  )
  if (asked.length === 0) return new Map<number, EventBodies>()
  const { rows } = await connection.query<EventBodies>({
    name: 'find-event-bodies',
    text: `SELECT asked.id, (${selectEventSql('asked.id', SHOWN_EVENT.event)}) AS plain, (${selectEventSql('asked.id', SHOWN_EVENT.detailed)}) AS detailed
           FROM unnest($1::bigint[], $2::bigint[]) AS asked (id, viewer)`,
    values: toColumnArrays(asked, ['id', 'viewer']),
  })
  return new Map(rows.map((row) => [row.id, row]))
}
