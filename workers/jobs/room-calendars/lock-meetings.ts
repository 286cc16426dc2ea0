// Locks the events that an entry of a calendar is about, and the claims of all their rooms.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { takesTime } from '../../../shared/room-calendars/room-calendars.ts'
import type { Write } from '../../runtime/write.ts'
import { lockClaims } from '../claims/locks.ts'
import { lockEventRows, type PresentEvent } from '../events/present-events.ts'
import type { LockedEntry } from './entry-rows.ts'
import { getMeetingName } from './meeting-texts.ts'

export type LockedMeetings = {
  /** The event that the entry is. */
  own: PresentEvent | undefined
  /** Whether that event takes place and has the room. */
  hasRoom: boolean
  /** The event of the same meeting at the time of the entry, which came from the calendar of another room. */
  joined: PresentEvent | undefined
  /** The event that a calendar created for the room at the time of the entry, if it no longer has an entry. */
  former: PresentEvent | undefined
}

const isConfirmed = ({ status }: PresentEvent): boolean => status === EVENT_STATUSES.confirmed

/**
 * Locks all claims at once, because one entry may need several changes: of an event, and of the one that the room changes
 * to.
 */
export async function lockMeetingsOfEntry(write: Write, entry: LockedEntry): Promise<LockedMeetings> {
  const { eventId, bookableId } = entry
  const sameId = await findSameMeeting(write, entry)
  const formerId = await findFormerMeeting(write, entry)
  const ids = [eventId, sameId, formerId].filter((id) => id !== null)
  const found = await lockEventRows(await write.connection(), ids)
  const own = eventId === null ? undefined : found.get(eventId)
  const same = sameId === null ? undefined : found.get(sameId)
  const former = formerId === null ? undefined : found.get(formerId)
  await lockClaims(write, [bookableId, ...[...found.values()].flatMap(({ rooms }) => rooms)])
  return {
    own,
    hasRoom: own !== undefined && isConfirmed(own) && own.rooms.includes(bookableId),
    joined: same && isConfirmed(same) ? same : undefined,
    former: former && isConfirmed(former) && former.rooms.includes(bookableId) ? former : undefined,
  }
}

async function findSameMeeting(
  write: Write,
  { uid, bookableId, from, to }: LockedEntry,
): Promise<number | null> {
  if (uid === null) return null
  const found = await write.first<{ id: number }>(
    `SELECT events.id FROM calendar_entries JOIN events ON events.id = event_id
     WHERE uid = ? AND key IS NULL AND bookable_id <> ? AND events.during = tstzrange(?, ?)
       AND events.status = ${EVENT_STATUSES.confirmed}
     ORDER BY events.id LIMIT 1`,
    [uid, bookableId, from, to],
  )
  return found?.id ?? null
}

/**
 * Finds the event of an earlier entry at the same time: the calendar was unlinked and linked again, or Berth declined the
 * entry because it had moved the event. Otherwise the room would not be free because of the very meeting that asks for it. If
 * Berth has written an entry of the event, another meeting may ask for the same time, so the names must be the same.
 */
async function findFormerMeeting(
  write: Write,
  { eventId, bookableId, seen, from, to }: LockedEntry,
): Promise<number | null> {
  if (eventId !== null || !takesTime(seen)) return null
  const found = await write.first<{ id: number }>(
    `SELECT events.id FROM bookings JOIN events ON events.id = bookings.event_id
     WHERE bookings.bookable_id = :bookableId AND bookings.during && tstzrange(:from, :to) AND bookings.released_at IS NULL
       AND events.during = tstzrange(:from, :to) AND events.status = ${EVENT_STATUSES.confirmed}
       AND NOT EXISTS (SELECT FROM calendar_entries
         WHERE calendar_entries.event_id = events.id AND calendar_entries.bookable_id = :bookableId
           AND (key IS NULL OR events.name <> :name))
       AND EXISTS (SELECT FROM audit_log WHERE resource = 'events' AND resource_id = events.id
         AND action = 'events.create' AND actor_type = 'system' AND actor_name = 'calendar')
     ORDER BY events.id LIMIT 1`,
    { bookableId, from, to, name: getMeetingName(seen) },
  )
  return found?.id ?? null
}
