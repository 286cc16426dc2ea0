// The calendars of rooms at other providers: what every process knows about them.

export const CALENDAR_PROVIDERS = ['microsoft', 'google', 'caldav'] as const
export type CalendarProviderName = (typeof CALENDAR_PROVIDERS)[number]

/** How far ahead a calendar is read and written, in days. */
export const CALENDAR_DAYS_AHEAD = 366

/** The names by which the providers are known to their customers. */
export const PROVIDER_LABELS: Record<CalendarProviderName, string> = {
  microsoft: 'Microsoft 365',
  google: 'Google Workspace',
  caldav: 'CalDAV',
}

/** Somebody in an entry of a calendar. */
export type SeenPerson = { address: string; name: string | null }

/**
 * An entry of a calendar as it was last read (`calendar_entries.seen`). Private entries have neither a title nor people.
 * Once Berth has applied an entry, it keeps only the times and flags.
 */
export type SeenEntry = {
  from: string
  to: string
  isFree: boolean
  isCancelled: boolean
  isDeclined: boolean
  isPrivate: boolean
  /** Whether the provider no longer has the entry. */
  isGone: boolean
  title: string
  organizer: SeenPerson | null
  /** Neither rooms nor the organizer. */
  attendees: SeenPerson[]
  /** Whether Berth may change the entry: it was made in this calendar, and nobody else organizes it. */
  isOwn: boolean
  /** A digest of everything that Berth applies, to find out whether an entry has changed. */
  digest: string
  /** Why the entry cannot be read. It may take time nevertheless. */
  unreadable?: string
}

/** Whether the entry takes time of the room. */
export const takesTime = ({ isFree, isCancelled, isDeclined, isGone, unreadable }: SeenEntry): boolean =>
  !isFree && !isCancelled && !isDeclined && !isGone && unreadable === undefined

/** The content of an entry that Berth writes (`calendar_entries.base`). */
export type WrittenEntry = {
  from: string
  to: string
  title: string
  text: string
  isPrivate: boolean
  /** Only where the setting for mailboxes of organizers is on: the organizer whose calendar gets the entry, if any. */
  organizer?: { id: number; address: string } | null
  /** The rooms and people to invite, as a JSON text, so that one comparison covers the whole list. */
  invited?: string
}

/** Somebody whom an entry in an organizer's calendar invites. `room` is the id of a room. */
export type InvitedPerson = { address: string; name: string | null; room: number | null }
