// What all calls that write to a calendar share.
import type {
  Calendar,
  CalendarEntry,
  CalendarProvider,
  EntryContent,
  WrittenChange,
} from '../../../shared/room-calendars/providers/provider.ts'
import type { WrittenEntry } from '../../../shared/room-calendars/room-calendars.ts'
import type { CalendarLink, CalendarTools } from '../calendar-link.ts'
import { parseEntryKey } from '../entry-keys.ts'
import { listInvited } from '../organizers.ts'
import { storeEntry } from '../reading/store-page.ts'
import type { Difference } from './differences.ts'

export type Writing = {
  tools: CalendarTools
  link: CalendarLink
  provider: CalendarProvider
  /** The id of the database, for the keys of new entries. */
  identity: string
}

export const toContent = (written: WrittenEntry): EntryContent => {
  const { from, to, title, text, isPrivate } = written
  return { from, to, title, text, isPrivate, attendees: toAttendees(written) }
}

// People may have added a link to a video call to the text, so Berth writes the text only if its own text has changed.
export function toChange(content: WrittenEntry, base: WrittenEntry | null): WrittenChange {
  const { text, ...rest } = toContent(content)
  return base?.text === text ? rest : { ...rest, text }
}

export const toAttendees = (written: WrittenEntry): EntryContent['attendees'] =>
  listInvited(written).map(({ address, name, room }) => ({ address, name, isRoom: room !== null }))

/** The calendar of an organizer, or else that of the room. */
export const getCalendar = ({ calendar }: CalendarLink, mailbox: string | null | undefined): Calendar =>
  mailbox ? { id: mailbox, zone: calendar.zone, isPersonal: true } : calendar

/** Whether an entry is in another calendar than the one to which its content belongs now. */
export function isElsewhere({ key, content, mailbox }: Difference): boolean {
  const parsed = key === null ? undefined : parseEntryKey(key)
  if (!parsed || !content) return false
  const owner = parsed.kind === 'meeting' ? parsed.ownerId : undefined
  const { id, address } = content.organizer ?? {}
  return owner !== id || (mailbox !== null && mailbox !== address)
}

/** Stores an entry as it is now, as a reading does. If it says something new, that is applied before it is written again. */
export function storeAgain(
  { tools, link }: Writing,
  entryId: string,
  entry: CalendarEntry | undefined,
): Promise<void> {
  return storeEntry(tools, link, entryId, entry)
}
