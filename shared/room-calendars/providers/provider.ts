// What Berth needs from a calendar provider, whichever it is. The adapters of this folder talk to the provider and keep
// nothing: no database, no queue, no state except a cached access token.

import type { IncomingRequest, ReadNotification } from '../notifications.ts'

/** A calendar of a room or of a person. */
export type Calendar = {
  /** The address of the mailbox, or the path of a CalDAV calendar. */
  id: string
  /** The IANA time zone of entries that have none of their own: all-day entries and floating times. */
  zone: string
  /** Whether this is the calendar of a person. */
  isPersonal?: boolean
}

/** A room as the provider lists it. */
export type ProviderRoom = { calendar: string; address: string | null; name: string; capacity: number | null }

export type RoomPage = { rooms: ProviderRoom[]; next: string | null }

/** A period between two instants. `to` is not part of it. */
export type Period = { from: string; to: string }

export type Answer = 'none' | 'accepted' | 'tentative' | 'declined'
export type EntryPerson = { address: string; name: string | null; answer: Answer; isRoom: boolean }

/** One meeting at one time. A recurring meeting has an entry for each occurrence. */
export type CalendarEntry = Period & {
  /** The id within its calendar. It stays the same when the entry moves. */
  id: string
  /** The id of the recurring meeting that this entry is an occurrence of. */
  seriesId: string | null
  /** The UID of RFC 5545, which is the same in the calendars of all attendees. */
  uid: string
  /** Changes with every change of the entry. `changeEntry` takes it, so that nobody's change is overwritten. */
  version: string
  title: string
  isPrivate: boolean
  /** Whether the entry leaves its time free, as a reminder does. */
  isFree: boolean
  isCancelled: boolean
  /** Whether the owner of the calendar has declined, so that the entry does not take their time. */
  isDeclined: boolean
  /** The dates of an all-day entry in its zone. `to` is the day after the last one. */
  allDay: { from: string; to: string; zone: string } | null
  organizer: EntryPerson | null
  attendees: EntryPerson[]
  /** The key given to `createEntry`, or null if Berth did not create this entry. */
  key: string | null
  /** The id of the copy in the calendar of a room, if the entry itself is in the calendar of its organizer. */
  copyId?: string
}

/** What Berth writes. */
export type EntryContent = Period & {
  title: string
  /** Plain text. */
  text: string
  isPrivate: boolean
  /**
   * Microsoft 365 mails an invitation to each of them, which cannot be switched off. So the list stays empty unless the
   * provider is to invite people. CalDAV servers get no attendees, because many of them do not invite.
   */
  attendees: Array<{ address: string; name: string | null; isRoom: boolean }>
}

/**
 * What Berth changes in an entry. With a period alone, everything else stays as it is. Without `text`, the text stays: people may
 * have added a link to a video call. If the list of attendees is empty, the attendees stay as well.
 */
export type WrittenChange = Omit<EntryContent, 'text'> & { text?: string }
export type EntryChange = Period | WrittenChange

/**
 * One page of changes. Its reader first forgets the entries whose id or series id is in `removed`, except those in
 * `changed`, and then stores those in `changed`. A changed series is in `removed` with its occurrences in `changed`, because
 * no provider reports each occurrence that a new repetition no longer has. An id in `removed` may be unknown.
 *
 * `position` is the next call's argument. It belongs to this page, so it can be stored in the transaction that stores
 * the page. It may have some 100 kB.
 */
export type ChangePage = {
  changed: CalendarEntry[]
  removed: string[]
  /** Entries or series that cannot be read, with the reason. They are in `removed`, although they may take time. */
  unreadable: Array<{ id: string; reason: string }>
  position: string
  hasMore: boolean
}
/** The provider no longer knows the position. The calendar must be read again from the beginning. */
export type ExpiredPosition = { isExpired: true }

export type Watch = { id: string; expiresAt: string }

/** Every function may throw a ProviderFault. */
export interface CalendarProvider {
  readonly name: 'microsoft' | 'google' | 'caldav'

  /** Lists the provider's rooms. `page` is the `next` of the page before, null for the first one. */
  listRooms(page: string | null): Promise<RoomPage>

  /**
   * Returns a page of what has changed since `position`. With null, returns all entries of the period in pages; entries
   * that these pages do not name do not exist. A position keeps the period it began with, so a later period needs a
   * new start.
   */
  listChanges(
    calendar: Calendar,
    position: string | null,
    period: Period,
  ): Promise<ChangePage | ExpiredPosition>

  /** Returns whether the account may write to the calendar. Undefined if the provider does not say. */
  mayWrite?(calendar: Calendar): Promise<boolean | undefined>

  getEntry(calendar: Calendar, id: string): Promise<CalendarEntry | undefined>

  /** Finds the entry that was created with a key. Throws a fault `not_found` if there is no such calendar. */
  findEntry(calendar: Calendar, key: string): Promise<CalendarEntry | undefined>

  /**
   * Creates an entry. Repeated with the same key, it returns the entry that the first call created, as that is now, and
   * changes nothing. If somebody has deleted that entry, Google returns it as cancelled; the others may create another.
   */
  createEntry(calendar: Calendar, key: string, content: EntryContent): Promise<CalendarEntry>

  /** Changes an entry. Throws a fault `conflict` if its version has changed. */
  changeEntry(calendar: Calendar, id: string, version: string, change: EntryChange): Promise<CalendarEntry>

  /** Changes whom an entry invites. Throws a fault `conflict` if its version has changed. */
  changeAttendees(
    calendar: Calendar,
    id: string,
    version: string,
    attendees: EntryContent['attendees'],
  ): Promise<CalendarEntry>

  /** Removes an entry. Does nothing if it is no longer there. */
  cancelEntry(calendar: Calendar, id: string): Promise<void>

  /**
   * Declines an invitation in the name of the calendar's owner, with a sentence for the organizer. Returns `impossible`
   * if the provider cannot decline or if the owner is not invited, for example because the entry was made in this calendar.
   */
  declineEntry(calendar: Calendar, id: string, sentence: string): Promise<'declined' | 'impossible'>

  /** Asks for notifications of changes at an address. Returns `impossible` if the provider has no notifications. */
  watch(calendar: Calendar, address: string, secret: string): Promise<Watch | 'impossible'>
  /**
   * Returns a watch that lasts longer. If it has another id, the former watch still has to be ended. Throws a fault
   * `not_found` if the watch has ended.
   */
  renew(watch: Watch, calendar: Calendar, address: string, secret: string): Promise<Watch>
  /** Ends a watch. Does nothing if it has ended. */
  unwatch(watch: Watch): Promise<void>
  /** Reads a notification and checks its secret. Connects to nothing. */
  readNotification(
    request: IncomingRequest,
    findSecret: (watch: string) => string | undefined,
  ): ReadNotification

  /** Closes idle connections. */
  close(): void
}

export type FaultKind =
  /** Too many requests: `retryAfterMs` says when to try again, if the provider says so. */
  | 'throttled'
  /** The provider does not accept the credentials. */
  | 'credentials_refused'
  /** A permission is missing: `permission` names it. */
  | 'forbidden'
  | 'not_found'
  /** The provider no longer keeps what was asked for. */
  | 'gone'
  /** The entry has changed since the given version. */
  | 'conflict'
  /** The id is taken. */
  | 'exists'
  /** The provider did not answer, or failed. The request may have been carried out. */
  | 'unavailable'
  /** The provider does not take this request; repeating it does not help. */
  | 'rejected'
  /** The calendar no longer has any of the entries that Berth wrote. No provider says so: the reading finds out. */
  | 'emptied'

type FaultDetails = {
  status?: number
  code?: string
  retryAfterMs?: number | undefined
  permission?: string
  isOfProvider?: boolean
}

/** Its message names no query, no header and no credentials, so that it can be logged and shown. */
export class ProviderFault extends Error {
  readonly kind: FaultKind
  readonly status: number | undefined
  /** The provider's own code. */
  readonly code: string | undefined
  readonly retryAfterMs: number | undefined
  readonly permission: string | undefined
  /** Whether the answer says that the fault concerns all calendars of the provider. */
  readonly isOfProvider: boolean

  constructor(
    kind: FaultKind,
    text: string,
    { status, code, retryAfterMs, permission, isOfProvider = false }: FaultDetails = {},
  ) {
    super(text)
    this.kind = kind
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
    this.permission = permission
    this.isOfProvider = isOfProvider
  }
}

export const isFault = (error: unknown, ...kinds: FaultKind[]): error is ProviderFault =>
  error instanceof ProviderFault && kinds.includes(error.kind)
