// Creates, changes and cancels events in batches. The rooms of an event are claims, as bookings are: either all rooms
// are claimed or none.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Connection } from '../../runtime/connection.ts'
import {
  type BatchedWrite,
  type BatchHandler,
  type Handlers,
  performSingleWrite,
  performUnrefusedWrites,
  type ReplyWithETag,
} from '../../runtime/write.ts'
import type { InputOverridingRules } from '../rules/enforce-rules.ts'
import { determineAttendees } from './attendee-changes.ts'
import { checkMeeting, type LockedMeeting, lockMeetings, type WantedMeeting } from './meetings.ts'
import { EVENT_NOT_FOUND, lockEvents, type PresentEvent } from './present-events.ts'
import { recordEvents } from './record-events.ts'
import { type Occurrence, saveEvents } from './save-events.ts'

type EventReplacement = InputOf<'events.replace'>
/** Of all changes, only the hand-over of a person’s duties overrides rules. */
type EventChanges = InputOf<'events.update'> & InputOverridingRules
type EventSaveHandler<Input> = BatchHandler<
  Input,
  LockedMeeting | Refusal,
  ReplyWithETag<ReplyOf<'events.create'>>
>

const EVENT_SAVES: Pick<EventSaveHandler<unknown>, 'perform' | 'attemptsMax'> = {
  perform: (connection, writes) =>
    performUnrefusedWrites(writes, checkMeeting, (meetings) => saveEvents(connection, meetings)),
  // Events without a free room are saved one by one, each in a savepoint. Postgres keeps track of 64 savepoints of a transaction
  // cheaply. With more savepoints, all other transactions get slower.
  attemptsMax: 64,
}

/** If `is_approved` is set, an approver has allowed the event in rooms that need approval. */
type NewEvent = InputOf<'events.create'> & { is_approved?: boolean; occurrence?: Occurrence }

export const newMeeting = ({ input, context }: BatchedWrite<NewEvent>): WantedMeeting => ({
  context,
  content: input,
  span: { from: input.from_time ?? context.now, to: input.to_time },
  organizerId: input.organizer_user_id,
  invited: { input: input.attendees ?? [], errors: {} },
})

export const eventCreations: EventSaveHandler<NewEvent> = {
  ...EVENT_SAVES,
  lockFacts: (connection, writes) => lockMeetings(connection, writes.map(newMeeting)),
}

/**
 * Replaces events. Resets absent fields to their defaults, except the organizer and the start. Reinstates a cancelled
 * event only if the input says so.
 */
export const eventReplacements: EventSaveHandler<EventReplacement> = {
  ...EVENT_SAVES,
  idOf: ({ id }) => id,
  lockFacts: (connection, writes) => lockChanges(connection, writes, replacedMeeting),
}

export const replacedMeeting = (
  { input, context }: BatchedWrite<EventReplacement>,
  present: PresentEvent,
): WantedMeeting => ({
  ...createUpdatedMeeting(input, present, context.now),
  context,
  content: input,
  invited: { input: input.attendees ?? [], errors: {} },
})

/** Changes events. Fields that are absent from a change stay unchanged. */
export const eventUpdates: EventSaveHandler<EventChanges> = {
  ...EVENT_SAVES,
  idOf: ({ id }) => id,
  lockFacts: (connection, writes) => lockChanges(connection, writes, updatedMeeting),
}

export function updatedMeeting(
  { input, context }: BatchedWrite<EventChanges>,
  present: PresentEvent,
): WantedMeeting {
  const { name, description, from_timezone, to_timezone, classification } = present.row
  const kept = { name, description, from_timezone, to_timezone, classification, to_time: present.to }
  const content = { ...kept, ...input }
  const after = createUpdatedMeeting(content, present, context.now)
  return {
    ...after,
    context,
    content,
    invited: determineAttendees(input.attendees, present, after.organizerId),
  }
}

function createUpdatedMeeting(
  input: Pick<EventReplacement, 'organizer_user_id' | 'from_time' | 'to_time'>,
  present: PresentEvent,
  now: string,
) {
  const from = input.from_time === undefined ? present.from : (input.from_time ?? now)
  const organizerId = input.organizer_user_id ?? present.organizer_user_id
  return { present, span: { from, to: input.to_time }, organizerId }
}

async function lockChanges<Input extends EventReplacement | EventChanges>(
  connection: Connection,
  writes: Array<BatchedWrite<Input>>,
  wantedOf: (write: BatchedWrite<Input>, present: PresentEvent) => WantedMeeting,
): Promise<Array<LockedMeeting | Refusal>> {
  const found = await lockEvents(connection, writes)
  const wanted = writes.flatMap((write, index) => {
    const present = found[index]
    return !present || present instanceof Refusal ? [] : [wantedOf(write, present)]
  })
  const locked = (await lockMeetings(connection, wanted)).values()
  return found.map((each) =>
    each instanceof Refusal ? each : (locked.next().value ?? new Refusal('not_found', EVENT_NOT_FOUND)),
  )
}

/**
 * Cancels events, which frees their rooms. Keeps the event itself, for clients that know its id. Leaves an event that
 * is already cancelled unchanged.
 */
const createCancelHandler = <Reply>(
  replyOf: (present: PresentEvent) => Reply,
): BatchHandler<InputOf<'events.delete'>, PresentEvent | Refusal, Reply> => ({
  idOf: ({ id }) => id,
  lockFacts: lockEvents,
  perform: (connection, writes) =>
    performUnrefusedWrites(
      writes,
      ({ context }, present: PresentEvent) => {
        const { to, zone } = present
        const isCancelled = present.status === EVENT_STATUSES.cancelled
        if (!isCancelled && to <= context.now)
          throw new Refusal('event_ended', message`The meeting ended at ${{ at: to, zone }}.`)
        return { id: present.id, context, former: present, before: present.row, isCancelled }
      },
      async (events) => {
        await cancelEvents(
          connection,
          events.filter(({ isCancelled }) => !isCancelled),
        )
        return events.map(({ former }) => replyOf(former))
      },
    ),
})

async function cancelEvents(
  connection: Connection,
  events: Parameters<typeof recordEvents>[2],
): Promise<void> {
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

export const eventCancellations = createCancelHandler(({ id, rooms }) => ({
  data: { id, freed: rooms.length },
}))
export const eventDeletions = createCancelHandler(() => null)

type EventJobNames = 'events.create' | 'events.replace' | 'events.update' | 'events.cancel' | 'events.delete'

export const eventHandlers: Handlers<EventJobNames> = {
  'events.create': (write, input) => performSingleWrite(eventCreations, write, input),
  'events.replace': (write, input) => performSingleWrite(eventReplacements, write, input),
  'events.update': (write, input) => performSingleWrite(eventUpdates, write, input),
  'events.cancel': (write, input) => performSingleWrite(eventCancellations, write, input),
  'events.delete': (write, input) => performSingleWrite(eventDeletions, write, input),
}
