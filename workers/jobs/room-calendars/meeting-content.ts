// What an entry of a calendar says about its meeting, as the content of an event.
import { EVENT_CLASSIFICATIONS } from '../../../shared/events/events.ts'
import type { Write } from '../../runtime/write.ts'
import type { Attendee } from '../events/match-attendees.ts'
import type { WantedMeeting } from '../events/meetings.ts'
import type { PresentEvent } from '../events/present-events.ts'
import { ensureCalendarSeries } from './calendar-series.ts'
import type { LockedEntry } from './entry-rows.ts'
import { findMeetingPeople } from './meeting-people.ts'
import { getMeetingName } from './meeting-texts.ts'
import { getSavedEvent, listAttendees } from './save-meetings.ts'

type MeetingContent = Pick<WantedMeeting, 'content' | 'organizerId'> & { attendees: Attendee[] }

const { private: isPrivate, default: isDefault } = EVENT_CLASSIFICATIONS

export async function describeNewMeeting(write: Write, entry: LockedEntry): Promise<MeetingContent> {
  const { seen, zone } = entry
  const series = await ensureCalendarSeries(write, entry)
  return {
    ...(await findMeetingPeople(write, seen, undefined)),
    content: {
      name: getMeetingName(seen),
      description: '',
      from_timezone: zone,
      to_timezone: zone,
      classification: seen.isPrivate ? isPrivate : isDefault,
      ...(series !== undefined && { occurrence: { series_id: series } }),
    },
  }
}

/** Returns the new content of an event. What a calendar does not say stays: the description and the time zones. */
export async function describeMeeting(
  write: Write,
  entry: LockedEntry,
  event: PresentEvent,
): Promise<MeetingContent> {
  const { content } = getSavedEvent(event)
  const seen = (await isPrivateElsewhere(write, entry, event))
    ? { ...entry.seen, isPrivate: true }
    : entry.seen
  const wasPrivate = content.classification === isPrivate
  return {
    ...(await findMeetingPeople(write, seen, event)),
    content: {
      ...content,
      name: getMeetingName(seen),
      classification: seen.isPrivate ? isPrivate : wasPrivate ? isDefault : content.classification,
    },
  }
}

/** Returns whether the meeting is private in the calendar of another room. */
async function isPrivateElsewhere(write: Write, { id }: LockedEntry, event: PresentEvent): Promise<boolean> {
  const found = await write.first(
    `SELECT FROM calendar_entries
     WHERE event_id = ? AND id <> ? AND key IS NULL AND CAST(seen ->> 'isPrivate' AS boolean)`,
    [event.id, id],
  )
  return found !== undefined
}

/** Returns whether the event already has this content. */
export function isSameMeeting(
  event: PresentEvent,
  { content, organizerId, attendees }: MeetingContent,
): boolean {
  const present = getSavedEvent(event)
  const known = new Map(listAttendees(event).map((each) => [getKey(each), each]))
  return (
    present.content.name === content.name &&
    present.content.classification === content.classification &&
    present.organizerId === organizerId &&
    known.size === attendees.length &&
    attendees.every((each) => {
      const same = known.get(getKey(each))
      // A name that the calendar leaves out stays.
      return same !== undefined && (each.name === null || each.name === same.name)
    })
  )
}

const getKey = ({ userId, email }: Attendee) => userId ?? email?.toLowerCase()
