// Creates and cancels series of repeated events, and changes several events of a series in one write. All events of a
// series begin at the same local time.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { findOccurrences } from '../../../shared/series/occurrences.ts'
import type { SeveralScope } from '../../../shared/series/repetition.ts'
import { parseJsonText } from '../../../shared/utilities/json-text.ts'
import { tryOut } from '../../runtime/try-out.ts'
import {
  type BatchedWrite,
  type BatchHandler,
  type Handlers,
  openWritesWithFacts,
  performSingleWrite,
  type ReplyWithETag,
  type SqlValues,
  type Write,
} from '../../runtime/write.ts'
import { zoneSql } from '../claims/locks.ts'
import { refuseUnlessOwner, requireOwnResources } from '../rows/personal-tokens.ts'
import { requireInTokenBuildings } from '../rows/preconditions.ts'
import {
  addDateToRefusal,
  checkOnDate,
  createShift,
  describeCheckedSeries,
  describeCreatedSeries,
  findSeriesOf,
  insertSeries,
  isAffectedSql,
  lockSeries,
  SERIES_NOT_FOUND,
} from '../series/series.ts'
import { convertAttendeeChanges } from './attendee-changes.ts'
import {
  eventCreations,
  eventDeletions,
  eventReplacements,
  eventUpdates,
  newMeeting,
  replacedMeeting,
  updatedMeeting,
} from './events.ts'
import {
  checkMeeting,
  type LockedMeeting,
  lockMeetings,
  refuseTooLargeSeries,
  type WantedMeeting,
} from './meetings.ts'
import { lockEvents, type PresentEvent } from './present-events.ts'
import { saveEventsTogether } from './save-events.ts'

type Changes = InputOf<'events.update'>
type Replacement = InputOf<'events.replace'>

export const eventSeriesHandlers: Handlers<`event-series.${string}`> = {
  async 'event-series.create'(write, input) {
    const { id, spans, decisions } = await createSeries(write, input)
    return describeCreatedSeries(id, input, spans, decisions)
  },

  'event-series.check': (write, input) =>
    tryOut(write, async (trial) => {
      const { spans, decisions } = await createSeries(trial, input)
      return describeCheckedSeries(spans, decisions)
    }),

  /**
   * Cancels the events of a series that begin at `from` or later. Also cancels running events, unless `from` is in the
   * future.
   */
  async 'event-series.delete'(write, { id, from }) {
    const { now } = write
    const { before } = await lockSeries(write, 'events', id)
    await requireOwnResources(
      write,
      'SELECT organizer_user_id AS owner FROM events WHERE series_id = ?',
      [id],
      SERIES_NOT_FOUND,
    )
    await requireInTokenBuildings(write, 'bookings', await findClaims(write, id), SERIES_NOT_FOUND)
    const ids = await findConfirmed(
      write,
      `series_id = :id AND during && tstzrange(:now, NULL)
         AND (lower(during) >= :from OR :from <= CAST(:now AS timestamptz))`,
      { id, from: from ?? now, now },
    )
    await cancelEvents(
      write,
      ids.map((each) => ({ id: each })),
    )
    await write.audit({ action: 'series.delete', id, before })
    return null
  },

  'event-series.replace-events': (write, { scope, ...change }) =>
    changeSeries(write, scope, change, { one: eventReplacements, meetingOf: replacedMeeting }),

  'event-series.update-events': (write, { scope, ...change }) =>
    changeSeries(write, scope, change, { one: eventUpdates, meetingOf: updatedMeeting }),

  async 'event-series.cancel-events'(write, { scope, id, if_match }) {
    const series = await findSeriesOf(write, 'events', id)
    if (series === null) return performSingleWrite(eventDeletions, write, { id, if_match })
    await lockSeries(write, 'events', series)
    const ids = await findAffectedIds(write, id, scope)
    await cancelEvents(
      write,
      ids.map((each) => ({ id: each, if_match: each === id ? if_match : undefined })),
      id,
    )
    return null
  },
}

/** Creates a series, with an event for each date that is not refused. Returns an event or a refusal for each date. */
async function createSeries(
  write: Write,
  { repeat, on_conflict: _, ...event }: InputOf<'event-series.create'>,
) {
  refuseUnlessOwner(write, event.organizer_user_id)
  const zone = await findZone(write, event)
  const spans = findOccurrences({ from: event.from_time ?? write.now, to: event.to_time }, zone, repeat)
  const id = await insertSeries(write, repeat, zone)
  const inputs = spans.map(({ from, to }) => ({
    ...event,
    from_time: from,
    to_time: to,
    occurrence: { series_id: id, occurs_at: from },
  }))
  const writes = inputs.map((input) => ({ input, context: write }))
  const connection = await write.connection()
  const locked = await lockMeetings(connection, writes.map(newMeeting), refuseTooLargeSeries)
  const replies = await eventCreations.perform(connection, openWritesWithFacts(writes, locked))
  const decisions = replies.map((each) => (each instanceof Refusal ? each : parseJsonText(each.text).data))
  return { id, spans, decisions }
}

/** Returns the time zone of a new series: the zone of the event, or else of its first room, or else UTC. */
async function findZone(
  write: Write,
  { from_timezone, attendees }: InputOf<'events.create'>,
): Promise<string> {
  if (from_timezone) return from_timezone
  const rooms = (attendees ?? []).filter(({ type }) => type === 'bookable')
  const found = await write.first<{ zone: string }>(
    `SELECT ${zoneSql('bookables.id')} AS zone FROM bookables
     WHERE (id = ANY(CAST(:ids AS bigint[])) OR lower(integration_email) = ANY(CAST(:emails AS text[])))
       AND deleted_at IS NULL ORDER BY id LIMIT 1`,
    {
      ids: rooms.flatMap(({ id }) => id ?? []),
      emails: rooms.flatMap(({ email }) => email?.toLowerCase() ?? []),
    },
  )
  return found?.zone ?? 'UTC'
}

const findConfirmed = (write: Write, condition: string, values: SqlValues) =>
  write.ids(
    `SELECT id FROM events WHERE (${condition}) AND status = ${EVENT_STATUSES.confirmed} ORDER BY lower(during), id`,
    values,
  )

/** Returns the ids of the events that a change of the event `id` affects, in order of time. Always includes `id`. */
async function findAffectedIds(write: Write, id: number, scope: SeveralScope): Promise<number[]> {
  const ids = await findConfirmed(write, isAffectedSql('events'), { id, scope, now: write.now })
  return ids.includes(id) ? ids : [id, ...ids]
}

const findClaims = (write: Write, series: number) =>
  write.ids('SELECT id FROM bookings WHERE event_id IN (SELECT id FROM events WHERE series_id = ?)', [series])

/**
 * Cancels events. Leaves out those that another write has ended while this one waited for their locks, except the event
 * `named`.
 */
async function cancelEvents(
  write: Write,
  inputs: Array<InputOf<'events.delete'>>,
  named?: number,
): Promise<void> {
  const connection = await write.connection()
  const writes = inputs.map((input) => ({ input, context: write }))
  const facts = await eventDeletions.lockFacts(connection, writes)
  const open = openWritesWithFacts(writes, facts).filter(
    ({ fact }) => fact instanceof Refusal || fact.id === named || fact.to > write.now,
  )
  const decisions = await eventDeletions.perform(connection, open)
  for (const decision of decisions) if (decision instanceof Refusal) throw decision
}

type Change<Input> = {
  one: BatchHandler<Input, LockedMeeting | Refusal, ReplyWithETag<ReplyOf<'events.create'>>>
  meetingOf(write: BatchedWrite<Input>, present: PresentEvent): WantedMeeting
}

/** Changes all events in the scope, or none. If the event `change.id` moves, all others move by the same time. */
async function changeSeries<Input extends Changes | Replacement>(
  write: Write,
  scope: SeveralScope,
  change: Input,
  { one, meetingOf }: Change<Input>,
) {
  const series = await findSeriesOf(write, 'events', change.id)
  if (series === null) return performSingleWrite(one, write, change)
  const { zone } = await lockSeries(write, 'events', series)
  const present = await lockPresent(write, await findAffectedIds(write, change.id, scope), change)
  const position = present.findIndex(({ id }) => id === change.id)
  const named = present[position]
  if (!named) throw new Error('The changed event was not locked')
  const { span } = meetingOf({ input: change, context: write }, named)
  const shift = createShift(named, span, zone)
  const isWhole = span.from !== named.from && (await isWholeSeries(write, series, present))
  const wanted = present.map((event, index) => {
    const attendees = convertAttendeeChanges(change.attendees ?? undefined, named, event)
    const others = { ...change, id: event.id, attendees, seen_rooms: undefined }
    const meeting = meetingOf({ input: index === position ? change : others, context: write }, event)
    const moved = index === position ? span : shift(event)
    const occursAt = isWhole ? event.row.occurs_at : undefined
    const occurrence = occursAt ? { occurs_at: shift({ from: occursAt, to: occursAt }).from } : undefined
    return { ...meeting, span: moved, content: { ...meeting.content, ...(occurrence && { occurrence }) } }
  })
  const connection = await write.connection()
  const locked = await lockMeetings(connection, wanted, refuseTooLargeSeries)
  const meetings = locked.map((each) =>
    checkOnDate(each.wanted.span, zone, () => checkMeeting({ context: write }, each)),
  )
  const replies = await saveEventsTogether(connection, meetings, (refusal, meeting) =>
    addDateToRefusal(refusal, meeting.span, zone),
  )
  const reply = replies[position]
  if (!reply) throw new Error('A changed event has no reply')
  return reply
}

/**
 * Locks the events of these ids. Leaves out those that another write has cancelled or ended while this one waited
 * for the locks, except the event `id`.
 */
async function lockPresent(write: Write, ids: number[], { id, ...change }: Changes | Replacement) {
  const expected = { if_match: change.if_match, version: 'version' in change ? change.version : undefined }
  const writes = ids.map((each) => ({ input: { id: each, ...(each === id && expected) }, context: write }))
  const found = await lockEvents(await write.connection(), writes)
  const present = found.map((each) => {
    if (each instanceof Refusal) throw each
    return each
  })
  return present.filter(
    (each) => each.id === id || (each.status === EVENT_STATUSES.confirmed && each.to > write.now),
  )
}

/**
 * Returns whether `events` has all events of the series that are not cancelled. Then its calendar entry can move as a
 * whole.
 */
async function isWholeSeries(write: Write, series: number, events: PresentEvent[]): Promise<boolean> {
  const ids = await findConfirmed(write, 'series_id = ?', [series])
  return ids.every((id) => events.some((event) => event.id === id))
}
