// Applies entries that others made in a room's calendar. Such an entry is an event of Berth, and the calendar decides what
// it says: only whether the room is free is decided here. Meetings that are over stay as they were.
import { Refusal } from '../../../shared/messages/refusal.ts'
import { takesTime } from '../../../shared/room-calendars/room-calendars.ts'
import type { Write } from '../../runtime/write.ts'
import { findAlternatives, type TimeRange } from '../claims/conflicts.ts'
import type { PresentEvent } from '../events/present-events.ts'
import {
  type AppliedEntry,
  type EntryConflict,
  isContentNew,
  type LockedEntry,
  omitContent,
} from './entry-rows.ts'
import { type LockedMeetings, lockMeetingsOfEntry } from './lock-meetings.ts'
import { describeMeeting, describeNewMeeting, isSameMeeting } from './meeting-content.ts'
import { findMeetingPeople } from './meeting-people.ts'
import {
  acknowledgeReleasedRoom,
  getSavedEvent,
  moveEvent,
  type RuleOptions,
  releaseRoom,
  saveEvent,
  tryChange,
} from './save-meetings.ts'

export async function applyOutsideEntry(
  write: Write,
  entry: LockedEntry,
  options: RuleOptions,
): Promise<AppliedEntry> {
  const { seen, eventId, from, to, baseFrom, baseTo } = entry
  const base = omitContent(seen)
  const meetings = await lockMeetingsOfEntry(write, entry)
  // An entry that Berth cannot read may take its time nevertheless.
  if (seen.unreadable !== undefined) return { eventId, base }
  if (!takesTime(seen)) return { eventId: await endMeeting(write, entry, meetings), base }
  if (to <= write.now) return { eventId: await endEarly(write, entry, meetings, options), base }
  // Somebody in Berth has cancelled the event or given up the room. The calendar does not know yet. If the meeting has got
  // another time meanwhile, it is a new request.
  const isGivenUp = meetings.own !== undefined && !meetings.hasRoom
  if (isGivenUp && from === baseFrom && to === baseTo) return { eventId, base, needsWrite: true }
  const held = await holdRoom(write, entry, meetings, options)
  if (!(held instanceof Refusal)) return { eventId: held, base }
  return { eventId: null, base, conflict: await describeConflict(write, entry, held) }
}

const isOver = (event: PresentEvent, now: string): boolean => event.to <= now

/**
 * Frees the room, because the meeting no longer takes its time. An entry that Berth declined because its event has moved
 * keeps the event.
 */
async function endMeeting(
  write: Write,
  { eventId, bookableId, decline }: LockedEntry,
  { own, hasRoom }: LockedMeetings,
): Promise<number | null> {
  if (decline === 'declined' || (own && isOver(own, write.now))) return eventId
  if (own && hasRoom) await leaveEvent(write, own, bookableId)
  return null
}

async function leaveEvent(write: Write, event: PresentEvent, bookableId: number): Promise<void> {
  await releaseRoom(write, event, bookableId)
  await acknowledgeReleasedRoom(write, event.id, bookableId)
}

/** Applies an entry that ends in the past by now: its event ends early, if it is not over. */
async function endEarly(
  write: Write,
  { eventId, bookableId, from, to }: LockedEntry,
  { own, hasRoom }: LockedMeetings,
  options: RuleOptions,
): Promise<number | null> {
  if (!own || !hasRoom || isOver(own, write.now)) return eventId
  const moved = await tryChange(write, (trial) => moveEvent(trial, own, { from, to }, options))
  if (!(moved instanceof Refusal)) return eventId
  await leaveEvent(write, own, bookableId)
  return null
}

/**
 * Makes an event hold the room at the time of the entry. Returns the id of the event, or why no event can hold it: then the
 * room is free of this meeting.
 */
async function holdRoom(
  write: Write,
  entry: LockedEntry,
  { own, hasRoom, joined, former }: LockedMeetings,
  options: RuleOptions,
): Promise<number | Refusal> {
  if (own && hasRoom) {
    // The meeting has moved in the calendar of another room, too, but could not move there together with this room.
    const isSplit = joined !== undefined && joined.id !== own.id && !isAt(own, entry)
    const changed = isSplit
      ? undefined
      : await tryChange(write, (trial) => changeEvent(trial, entry, own, options))
    if (changed !== undefined && !(changed instanceof Refusal)) return own.id
    await leaveEvent(write, own, entry.bookableId)
    // The other rooms of the event may be what is not free.
    if (changed && own.rooms.length === 1) return changed
  }
  return tryChange(write, async (trial) => {
    if (joined && joined.id !== own?.id) return joinEvent(trial, entry, joined, options)
    if (!former) return createEvent(trial, entry, options)
    await changeEvent(trial, entry, former, options)
    return former.id
  })
}

const isAt = (event: TimeRange, { from, to }: TimeRange): boolean => event.from === from && event.to === to

/** Gives the event the time and content of the entry, with all its rooms. */
async function changeEvent(
  write: Write,
  entry: LockedEntry,
  event: PresentEvent,
  options: RuleOptions,
): Promise<true> {
  const content = isContentNew(entry) ? await describeMeeting(write, entry, event) : getSavedEvent(event)
  // If the calendar has not moved the entry, somebody in Berth may have moved its event, which the calendar does not know yet.
  const isMovedOutside = entry.from !== entry.baseFrom || entry.to !== entry.baseTo
  const span = isMovedOutside ? { from: entry.from, to: entry.to } : { from: event.from, to: event.to }
  const isMoved = !isAt(event, span)
  if (!isMoved && isSameMeeting(event, content)) return true
  await saveEvent(write, { ...content, present: event, span, rooms: event.rooms }, options)
  if (isMoved) await waitForOtherCalendars(write, entry, event.id)
  return true
}

/** Adds the room to the event of the same meeting. */
async function joinEvent(
  write: Write,
  entry: LockedEntry,
  event: PresentEvent,
  options: RuleOptions,
): Promise<number> {
  // An event must not show what the calendar of one of its rooms hides.
  const content = entry.seen.isPrivate ? await describeMeeting(write, entry, event) : getSavedEvent(event)
  const rooms = [...new Set([...event.rooms, entry.bookableId])]
  const span = { from: event.from, to: event.to }
  return saveEvent(write, { ...content, present: event, span, rooms }, options)
}

async function createEvent(write: Write, entry: LockedEntry, options: RuleOptions): Promise<number> {
  const content = await describeNewMeeting(write, entry)
  const span = { from: entry.from, to: entry.to }
  return saveEvent(write, { ...content, span, rooms: [entry.bookableId] }, options)
}

/**
 * The calendars of the event's other rooms have the former time until the provider has moved the meeting there, too. Until
 * they have been read again, the writer must not take that for a difference, because it would decline the meeting there.
 */
async function waitForOtherCalendars(
  write: Write,
  { id, from, to }: LockedEntry,
  eventId: number,
): Promise<void> {
  await write.run(
    `UPDATE calendar_entries SET next_write_at = greatest(now() + interval '2 minutes', next_read_at + interval '1 minute')
     FROM room_calendars WHERE room_calendars.bookable_id = calendar_entries.bookable_id
       AND event_id = ? AND key IS NULL AND id <> ? AND during <> tstzrange(?, ?)`,
    [eventId, id, from, to],
  )
}

async function describeConflict(
  write: Write,
  { bookableId, seen, from, to }: LockedEntry,
  { detail, members }: Refusal,
): Promise<EntryConflict> {
  const known = members['alternatives'] as EntryConflict['free_rooms'] | undefined
  if (known) return { message: detail, free_rooms: known }
  const { organizerId } = await findMeetingPeople(write, seen, undefined)
  const subject = { bookable_id: bookableId, user_id: organizerId, hasVehicle: false, now: write.now }
  const free_rooms = await findAlternatives(await write.connection(), subject, { from, to })
  return { message: detail, free_rooms }
}
