// Creates, changes and cancels the events of room calendars, with the same code as any other event.
import { getOnlyRow } from '../../../shared/database/database.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { toRefusal } from '../../runtime/refusals.ts'
import { openWrite, performSingleWrite, type Write } from '../../runtime/write.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { eventCancellations } from '../events/events.ts'
import type { Attendee } from '../events/match-attendees.ts'
import { checkMeeting, lockMeetings, type WantedMeeting } from '../events/meetings.ts'
import type { PresentEvent } from '../events/present-events.ts'
import { saveEvents } from '../events/save-events.ts'

/** Whether the rules of the rooms hold for what comes from a calendar. */
export type RuleOptions = { appliesRules: boolean }

type SavedEvent = Pick<WantedMeeting, 'present' | 'content' | 'span' | 'organizerId'> & {
  attendees: Attendee[]
  rooms: number[]
}

/** Saves an event. Its organizer may be unknown, or may have left. Returns the id of the event. */
export async function saveEvent(
  write: Write,
  { attendees, rooms, content, ...event }: SavedEvent,
  { appliesRules }: RuleOptions,
): Promise<number> {
  const connection = await write.connection()
  const bookableIds = [...rooms].sort((one, other) => one - other)
  const wanted: WantedMeeting = {
    ...event,
    context: write,
    content: { ...content, overrides_rules: !appliesRules },
    invited: { input: [], unchanged: { attendees, bookableIds }, errors: {} },
  }
  const locked = getOnlyRow(await lockMeetings(connection, [wanted]))
  // The meeting takes place, although its organizer is not active.
  const meeting = checkMeeting({ context: write }, { ...locked, isOrganizerMissing: false })
  const reply = getOnlyRow(await saveEvents(connection, [meeting]))
  if (reply instanceof Refusal) throw reply
  return meeting.id
}

export const listAttendees = ({ row }: PresentEvent): Attendee[] =>
  (row.attendees ?? []).map(({ user_id, email, name }) => ({ userId: user_id, email, name }))

/** What an event is now, for a change of its times or rooms. */
export const getSavedEvent = (present: PresentEvent): SavedEvent & { present: PresentEvent } => {
  const { name, description, from_timezone, to_timezone, classification } = present.row
  return {
    present,
    content: { name, description, from_timezone, to_timezone, classification },
    span: { from: present.from, to: present.to },
    organizerId: present.organizer_user_id,
    attendees: listAttendees(present),
    rooms: present.rooms,
  }
}

/** Moves an event with all its rooms. */
export const moveEvent = (write: Write, present: PresentEvent, span: TimeRange, options: RuleOptions) =>
  saveEvent(write, { ...getSavedEvent(present), span }, options)

/** Takes a room from an event. Cancels the event if it was the only room. */
export async function releaseRoom(write: Write, present: PresentEvent, bookableId: number): Promise<void> {
  const rooms = present.rooms.filter((id) => id !== bookableId)
  if (rooms.length === 0) await performSingleWrite(eventCancellations, write, { id: present.id })
  else await saveEvent(write, { ...getSavedEvent(present), rooms }, { appliesRules: false })
}

/**
 * Marks the room as given up. The organizer of a meeting that comes from a calendar learns from the calendar that the room
 * is gone, so Berth sends no mail about it and offers no other room.
 */
export async function acknowledgeReleasedRoom(
  write: Write,
  eventId: number,
  bookableId: number,
): Promise<void> {
  await write.run(
    'UPDATE cancelled_bookings SET acknowledged = true WHERE event_id = ? AND bookable_id = ? AND NOT acknowledged',
    [eventId, bookableId],
  )
}

/** Tries a change in a savepoint. Returns the refusal if it is refused, and then nothing has changed. */
export async function tryChange<Result>(
  write: Write,
  change: (trial: Write) => Promise<Result>,
): Promise<Result | Refusal> {
  try {
    return await write.trx.transaction((savepoint) => change(openWrite(savepoint, write)))
  } catch (error) {
    const refusal = toRefusal(error)
    if (refusal) return refusal
    throw error
  }
}
