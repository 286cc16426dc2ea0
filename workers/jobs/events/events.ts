// Creates, changes and cancels events, as many as come together. The rooms of an event are claims like any booking, all
// or none.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Connection } from '../../runtime/connection.ts'
import {
  type BatchedWrite,
  type BatchHandler,
  type Handlers,
  performOne,
  performUnrefused,
  type ReplyWithETag,
} from '../../runtime/write.ts'
import { invitedAfter } from './attendee-changes.ts'
import { checkMeeting, type LockedMeeting, lockMeetings, type Wanted } from './meetings.ts'
import { lockEvents, NO_EVENT, type Present } from './present-events.ts'
import { recordEvents } from './record-events.ts'
import { saveEvents } from './save-events.ts'

type Replacement = InputOf<'events.replace'>
type Changes = InputOf<'events.update'>
type Saving<Input> = BatchHandler<Input, LockedMeeting | Refusal, ReplyWithETag<ReplyOf<'events.create'>>>

const perform: Saving<unknown>['perform'] = (connection, writes) =>
  performUnrefused(writes, checkMeeting, (meetings) => saveEvents(connection, meetings))

export const eventCreations: Saving<InputOf<'events.create'>> = {
  perform,
  lockFacts: (connection, writes) =>
    lockMeetings(
      connection,
      writes.map(({ input, context }) => ({
        context,
        content: input,
        span: { from: input.from_time ?? context.now, to: input.to_time },
        organizerId: input.organizer_user_id,
        invited: { input: input.attendees ?? [], errors: {} },
      })),
    ),
}

/** Resets absent fields, except the organizer and the start. Reinstates a cancelled event only explicitly. */
export const eventReplacements: Saving<Replacement> = {
  perform,
  idOf: ({ id }) => id,
  lockFacts: (connection, writes) =>
    lockChanges(connection, writes, ({ input, context }, present) => ({
      ...wantedAfter(input, present, context.now),
      context,
      content: input,
      invited: { input: input.attendees ?? [], errors: {} },
    })),
}

/** Keeps absent fields. */
export const eventUpdates: Saving<Changes> = {
  perform,
  idOf: ({ id }) => id,
  lockFacts: (connection, writes) =>
    lockChanges(connection, writes, ({ input, context }, present) => {
      const { name, description, from_timezone, to_timezone, classification } = present.row
      const kept = { name, description, from_timezone, to_timezone, classification, to_time: present.to }
      const content = { ...kept, ...input }
      const after = wantedAfter(content, present, context.now)
      return {
        ...after,
        context,
        content,
        invited: invitedAfter(input.attendees, present, after.organizerId),
      }
    }),
}

function wantedAfter(
  input: Pick<Replacement, 'organizer_user_id' | 'from_time' | 'to_time'>,
  present: Present,
  now: string,
) {
  const from = input.from_time === undefined ? present.from : (input.from_time ?? now)
  const organizerId = input.organizer_user_id ?? present.organizer_user_id
  return { present, span: { from, to: input.to_time }, organizerId }
}

async function lockChanges<Input extends Replacement | Changes>(
  connection: Connection,
  writes: Array<BatchedWrite<Input>>,
  wantedOf: (write: BatchedWrite<Input>, present: Present) => Wanted,
): Promise<Array<LockedMeeting | Refusal>> {
  const found = await lockEvents(connection, writes)
  const wanted = writes.flatMap((write, index) => {
    const present = found[index]
    return !present || present instanceof Refusal ? [] : [wantedOf(write, present)]
  })
  const locked = (await lockMeetings(connection, wanted)).values()
  return found.map((each) =>
    each instanceof Refusal ? each : (locked.next().value ?? new Refusal('not_found', NO_EVENT)),
  )
}

/** Frees its rooms. The event stays for clients that know its id. A cancelled event stays as it is. */
const cancelling = <Reply>(
  replyOf: (present: Present) => Reply,
): BatchHandler<InputOf<'events.delete'>, Present | Refusal, Reply> => ({
  idOf: ({ id }) => id,
  lockFacts: lockEvents,
  perform: (connection, writes) =>
    performUnrefused(
      writes,
      ({ context }, present: Present) => {
        const { to, zone } = present
        const isCancelled = present.status === EVENT_STATUSES.cancelled
        if (!isCancelled && to <= context.now)
          throw new Refusal('event_ended', message`The meeting ended at ${{ at: to, zone }}.`)
        return { id: present.id, context, former: present, before: present.row, isCancelled }
      },
      async (events) => {
        await cancel(
          connection,
          events.filter(({ isCancelled }) => !isCancelled),
        )
        return events.map(({ former }) => replyOf(former))
      },
    ),
})

async function cancel(connection: Connection, events: Parameters<typeof recordEvents>[2]): Promise<void> {
  if (events.length === 0) return
  const values = [events.map(({ id }) => id)]
  await Promise.all([
    connection.query({
      name: 'free-rooms',
      text: 'DELETE FROM bookings WHERE event_id = ANY($1::bigint[])',
      values,
    }),
    connection.query({
      name: 'cancel-events',
      text: `UPDATE events SET status = ${EVENT_STATUSES.cancelled}, updated_at = now() WHERE id = ANY($1::bigint[])`,
      values,
    }),
    recordEvents(connection, 'events.cancel', events),
  ])
}

export const eventCancellations = cancelling(({ id, rooms }) => ({ data: { id, freed: rooms.length } }))
export const eventDeletions = cancelling(() => null)

type Names = 'events.create' | 'events.replace' | 'events.update' | 'events.cancel' | 'events.delete'

export const eventHandlers: Handlers<Names> = {
  'events.create': (write, input) => performOne(eventCreations, write, input),
  'events.replace': (write, input) => performOne(eventReplacements, write, input),
  'events.update': (write, input) => performOne(eventUpdates, write, input),
  'events.cancel': (write, input) => performOne(eventCancellations, write, input),
  'events.delete': (write, input) => performOne(eventDeletions, write, input),
}
