// Events before a write: locked, as many as come together, and refused if the caller cannot see them or expects another
// state of them.
import { placeOf } from '../../../shared/changes/buildings.ts'
import { changedDataSql } from '../../../shared/changes/changes-shape.ts'
import { eventShapesFor, selectEvent } from '../../../shared/events/events-shape.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { spanColumns } from '../../../shared/schemas/json.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { type Connection, pipelined } from '../../runtime/connection.ts'
import { type BatchedWrite, refusalBy } from '../../runtime/write.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { zoneOf } from '../claims/locks.ts'
import { attendingUsers, refuseUnlessOrganizer } from '../rows/personal-tokens.ts'
import {
  findOutsideTokenBuildings,
  findVersions,
  refuseOtherETag,
  refuseOtherVersion,
  refuseOutside,
} from '../rows/preconditions.ts'
import { arraysOf } from '../rows/rows.ts'
import { findHiddenFrom } from './hidden-attendees.ts'

export const NO_EVENT = message`There is no meeting with this id.`

type Content = Pick<
  InputOf<'events.replace'>,
  'name' | 'description' | 'from_timezone' | 'to_timezone' | 'classification'
>
type AttendeeRow = { id: number; user_id: number | null; email: string | null; visitor_id: number | null }

/** `row` is for the audit log; `shown` and `buildings` are for the outbox. */
export type Present = TimeRange & {
  id: number
  organizer_user_id: number
  status: number
  zone: string
  row: Content & { attendees: AttendeeRow[] | null }
  rooms: number[]
  shown: string
  buildings: number[]
  /** The attendees who hide from the person who writes, who sees them as visitors. */
  hidden?: ReadonlySet<number>
}

/** SQL: the event with its attendees and rooms, for the audit log. */
export const AUDITED_EVENT = `to_jsonb(events) || jsonb_build_object(
  'attendees', (SELECT jsonb_agg(to_jsonb(event_attendees) ORDER BY id) FROM event_attendees WHERE event_id = events.id),
  'bookables', (SELECT jsonb_agg(bookable_id ORDER BY bookable_id) FROM bookings WHERE event_id = events.id)
)`

const FIND = `
  SELECT events.id, organizer_user_id, status, ${spanColumns('events')}, ${AUDITED_EVENT} AS row,
    to_json(ARRAY(SELECT bookable_id FROM bookings WHERE event_id = events.id ORDER BY bookable_id)) AS rooms,
    coalesce((SELECT ${zoneOf('bookable_id')} FROM bookings WHERE event_id = events.id LIMIT 1), to_timezone) AS zone,
    ${changedDataSql('events', 'asked.id')} AS shown, to_json(${placeOf('events', 'asked.id')}) AS buildings
  FROM unnest($1::bigint[]) AS asked (id) JOIN events ON events.id = asked.id`

/** By id. What is read of them is read once they are locked. */
export async function lockEventRows(connection: Connection, ids: number[]): Promise<Map<number, Present>> {
  const values = [ids]
  const [, { rows }] = await pipelined(
    connection,
    () =>
      connection.query({
        name: 'lock-events',
        text: 'SELECT FROM events WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE',
        values,
      }),
    () => connection.query<Present>({ name: 'find-locked-events', text: FIND, values }),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

type Input = { id: number; if_match?: string[] | undefined; version?: string | undefined }

/** In the order of the writes: the event, or why the write is refused. */
export async function lockEvents(
  connection: Connection,
  writes: Array<BatchedWrite<Input>>,
): Promise<Array<Present | Refusal>> {
  const found = await lockEventRows(
    connection,
    writes.map(({ input }) => input.id),
  )
  const rooms = writes.flatMap(({ input, context }) =>
    (found.get(input.id)?.rooms ?? []).map((id) => ({ context, id, eventId: input.id })),
  )
  const outside = await findOutsideTokenBuildings(connection, 'bookables', rooms)
  const bodies = await findBodies(connection, writes)
  const versions = await findVersions(connection, 'events', writes)
  const hidden = await findHiddenFrom(
    connection,
    writes.map(({ input, context }) => {
      const event = found.get(input.id)
      return { viewer: context.userId, userIds: event ? attendingUsers(event) : [] }
    }),
  )
  return writes.map(({ input, context }, index) => {
    const { id, if_match, version } = input
    const event = found.get(id)
    if (!event) return new Refusal('not_found', NO_EVENT)
    return refusalBy(() => {
      refuseUnlessOrganizer(context, event, NO_EVENT)
      const within = rooms.filter(({ eventId }, index) => eventId === id && !outside.has(index))
      if (context.buildingIds) refuseOutside(within.length, event.rooms.length, NO_EVENT)
      if (if_match) refuseOtherETags(if_match, bodies.get(id))
      const present = versions.get(id)
      if (version !== undefined && present) refuseOtherVersion(version, present)
      return { ...event, hidden: hidden[index] ?? new Set() }
    })
  })
}

const SHOWN = eventShapesFor('asked.viewer')

type Bodies = { id: number; plain: string; detailed: string }

// With or without its details.
function refuseOtherETags(etags: string[], bodies: Bodies | undefined): void {
  if (!etags.includes(etagOf(bodies?.plain ?? ''))) refuseOtherETag(etags, etagOf(bodies?.detailed ?? ''))
}

async function findBodies(connection: Connection, writes: Array<BatchedWrite<Input>>) {
  const asked = writes.flatMap(({ input: { id, if_match }, context: { userId } }) =>
    if_match ? [{ id, viewer: userId ?? null }] : [],
  )
  if (asked.length === 0) return new Map<number, Bodies>()
  const { rows } = await connection.query<Bodies>({
    name: 'find-event-bodies',
    text: `SELECT asked.id, (${selectEvent('asked.id', SHOWN.event)}) AS plain, (${selectEvent('asked.id', SHOWN.detailed)}) AS detailed
           FROM unnest($1::bigint[], $2::bigint[]) AS asked (id, viewer)`,
    values: arraysOf(asked, ['id', 'viewer']),
  })
  return new Map(rows.map((row) => [row.id, row]))
}
