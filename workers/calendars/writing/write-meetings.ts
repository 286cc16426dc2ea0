// Changes entries in the calendars of organizers, which all rooms of a meeting share. The round of each room reads the entry
// first, because another room may have changed or removed it since.
import {
  type Calendar,
  type CalendarEntry,
  type CalendarProvider,
  type EntryContent,
  isFault,
  ProviderFault,
} from '../../../shared/room-calendars/providers/provider.ts'
import { orElse } from '../../../shared/room-calendars/providers/requests.ts'
import type { WrittenEntry } from '../../../shared/room-calendars/room-calendars.ts'
import type { CalendarLink } from '../calendar-link.ts'
import { parseEntryKey } from '../entry-keys.ts'
import {
  findAnswer,
  findOtherRooms,
  noteInvited,
  noteUid,
  noteUninvited,
  noteWithdrawal,
  noteWritten,
  storeDeclinedRoom,
} from '../organizers.ts'
import type { Difference } from './differences.ts'
import { delayWriting, setBase, storeWritten } from './entry-rows.ts'
import { getCalendar, storeAgain, toAttendees, toChange, type Writing } from './writing.ts'

type Attendees = EntryContent['attendees']

const listAddresses = (attendees: Array<{ address: string }>): Set<string> =>
  new Set(attendees.map(({ address }) => address.toLowerCase()))

/** Returns the attendees that an entry should have: those whom Berth invites, and those whom the organizer has added. */
function mergeAttendees(entry: CalendarEntry, wanted: Attendees, invited: string[]): Attendees {
  const organizer = entry.organizer?.address.toLowerCase()
  const ours = invited.map((each) => each.toLowerCase()).filter((each) => each !== organizer)
  const known = new Set([...listAddresses(wanted), ...ours])
  const added = entry.attendees.filter(({ address }) => !known.has(address.toLowerCase()))
  return [...wanted, ...added.map(({ address, name, isRoom }) => ({ address, name, isRoom }))]
}

function hasAttendees(entry: CalendarEntry, wanted: Attendees): boolean {
  const present = listAddresses(entry.attendees)
  return (
    wanted.every(({ address }) => present.has(address.toLowerCase())) &&
    wanted.length === entry.attendees.length
  )
}

const isAt = (entry: CalendarEntry, { from, to }: WrittenEntry): boolean =>
  Date.parse(entry.from) === Date.parse(from) && Date.parse(entry.to) === Date.parse(to)

const TRIES_MAX = 3

/**
 * Gives an entry the attendees that `merge` returns for it. Rooms of one meeting may change its entry at the same time, so
 * this function reads the entry again after a conflict. Returns undefined if the entry is gone.
 */
async function updateAttendees(
  { provider, calendar, key }: { provider: CalendarProvider; calendar: Calendar; key: string },
  found: CalendarEntry,
  merge: (entry: CalendarEntry) => Attendees,
): Promise<CalendarEntry | undefined> {
  let entry: CalendarEntry | undefined = found
  for (let tries = 1; entry && !entry.isCancelled; tries++) {
    const attendees = merge(entry)
    if (hasAttendees(entry, attendees)) return entry
    try {
      return await provider.changeAttendees(calendar, entry.id, entry.version, attendees)
    } catch (error) {
      if (!isFault(error, 'conflict') || tries >= TRIES_MAX) throw error
      entry = await findOfOrganizer(provider, calendar, key)
    }
  }
  return undefined
}

const hasDeclined = (entry: CalendarEntry, { calendar }: CalendarLink): boolean =>
  findAnswer(entry, calendar.id) === 'declined'

/** Stores an entry as it is now. If the room has declined, leaves `invited` out of the content, so that the writer checks the entry. */
async function storeMeeting(
  { tools: { database }, link }: Writing,
  {
    id,
    key,
    content,
    others = [],
    isOlder = false,
  }: { id: number; key: string; content: WrittenEntry; others?: string[]; isOlder?: boolean },
  entry: CalendarEntry,
): Promise<void> {
  await noteWritten(database, { key, uid: entry.uid, content, others })
  const { invited: _rooms, ...declined } = content
  const stored = hasDeclined(entry, link) ? declined : content
  await storeWritten(database, link, id, { entry, content: stored, isOlder })
}

/**
 * Changes the people of an entry. If the provider refuses, Berth itself invites those whom the entry does not have. Without an answer, or
 * if the entry has changed, the next comparison tries again.
 */
async function changePeopleOrInviteByMail<T>(
  { tools: { database } }: Writing,
  noted: { key: string; content: WrittenEntry; entry: CalendarEntry },
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change()
  } catch (error) {
    const isRefused =
      error instanceof ProviderFault && !isFault(error, 'unavailable', 'conflict', 'not_found', 'gone')
    if (isRefused) await noteUninvited(database, noted)
    throw error
  }
}

/** Completes a creation in the calendar of an organizer. Another room may have created the entry, without this room. */
export async function completeCreation(
  writing: Writing,
  { id, key, content, invited }: { id: number; key: string; content: WrittenEntry; invited: string[] },
  created: CalendarEntry,
): Promise<void> {
  const { tools, link, provider } = writing
  const { database } = tools
  await noteUid(database, key, created.uid)
  const place = { provider, calendar: getCalendar(link, content.organizer?.address), key }
  // The room may have declined because of an entry that Berth has removed since, so Berth invites it again.
  const asked = hasDeclined(created, link)
    ? await updateAttendees(place, created, (current) => mergeAttendees(current, [], [link.calendar.id]))
    : created
  const wanted = toAttendees(content)
  const entry =
    asked &&
    (await changePeopleOrInviteByMail(writing, { key, content, entry: asked }, () =>
      updateAttendees(place, asked, (current) => mergeAttendees(current, wanted, [])),
    ))
  if (!entry) throw new ProviderFault('conflict', 'The entry was deleted while Berth added a room.')
  // An earlier call may have invited people who are not in this content. Berth has mailed some of them since, and these stay. Others have
  // left the meeting, and the next comparison removes them.
  const present = listAddresses(entry.attendees)
  const named = listAddresses(wanted).add(content.organizer?.address ?? '')
  const others = invited.filter((each) => present.has(each) && !named.has(each))
  // What another room has written may be older than what this one is to write.
  const isOlder = !isAt(entry, content) || others.length > 0
  await storeMeeting(writing, { id, key, content, others, isOlder }, entry)
}

/** Changes the entry of a meeting, unless it already has the right content. */
export async function changeMeeting(writing: Writing, difference: Difference): Promise<void> {
  const { tools, link, provider } = writing
  const { rowId, entryId, key, version, content, base, eventId, mailbox } = difference
  if (rowId === null || entryId === null || key === null || !content || eventId === null) return
  const calendar = getCalendar(link, mailbox)
  const entry = await provider.findEntry(calendar, key)
  if (!entry || entry.isCancelled) return storeAgain(writing, entryId, undefined)
  const invited = await noteInvited(tools.database, { key, eventId, provider: link.provider, content })
  const attendees = mergeAttendees(entry, toAttendees(content), invited)
  const store = (written: CalendarEntry) => storeMeeting(writing, { id: rowId, key, content }, written)
  if (isAt(entry, content) && entry.title === content.title && hasAttendees(entry, attendees))
    return hasDeclined(entry, link)
      ? storeDeclinedRoom(tools.database, link, { id: rowId, now: tools.now() })
      : store(entry)
  if (entry.version !== version) return storeAgain(writing, entryId, entry)
  if (!(await setBase(tools.database, link, rowId, null))) return
  try {
    const changed = await changePeopleOrInviteByMail(writing, { key, content, entry }, () =>
      provider.changeEntry(calendar, entryId, version, {
        ...toChange(content, base),
        // Without attendees, all of them stay.
        attendees: hasAttendees(entry, attendees) ? [] : attendees,
      }),
    )
    await store(changed)
  } catch (error) {
    if (error instanceof ProviderFault && error.kind !== 'unavailable')
      await setBase(tools.database, link, rowId, base)
    // The next comparison finds out what the entry says by now.
    if (!isFault(error, 'conflict', 'not_found', 'gone')) throw error
    await storeAgain(writing, entryId, await provider.findEntry(calendar, key))
  }
}

/** Finds the entry of a meeting. An organizer who no longer has a mailbox has none. */
const findOfOrganizer = (
  provider: CalendarProvider,
  calendar: Calendar,
  key: string,
): Promise<CalendarEntry | undefined> =>
  orElse(provider.findEntry(calendar, key), calendar.isPersonal ? ['not_found'] : [], () => undefined)

/**
 * Removes this room from the entry of a meeting, or the entry if it has no other room. Returns false if the caller must keep the row
 * and try again: until another room has joined the entry, only this room knows it.
 */
export async function leaveMeeting(writing: Writing, difference: Difference): Promise<boolean> {
  const { tools, link, provider } = writing
  const { rowId, key, eventId, mailbox } = difference
  const parsed = key === null ? undefined : parseEntryKey(key)
  const others =
    key !== null && parsed?.kind === 'meeting' && eventId !== null && mailbox !== null
      ? await findOtherRooms(tools.database, {
          ...link,
          key,
          eventId,
          ownerId: parsed.ownerId,
          mailbox,
          mailboxes: tools.settings.usesOrganizerMailboxes,
          now: new Date(tools.now()),
        })
      : 'none'
  if (others === 'none') return withdrawEntry(writing, difference)
  if (rowId === null || key === null) return false
  if (others === 'awaited') {
    await delayWriting(tools.database, link, rowId, tools.now())
    return false
  }
  if (!(await setBase(tools.database, link, rowId, null))) return false
  const calendar = getCalendar(link, mailbox)
  const entry = await findOfOrganizer(provider, calendar, key)
  if (entry)
    await updateAttendees({ provider, calendar, key }, entry, (current) =>
      mergeAttendees(current, [], [link.calendar.id]),
    )
  return true
}

/** Removes an entry from a calendar to which it no longer belongs, even if the answer to its creation was lost. */
async function withdrawEntry(writing: Writing, difference: Difference): Promise<boolean> {
  const { tools, link, provider } = writing
  const { rowId, key, entryId, mailbox, isMissing, isGone } = difference
  if (rowId === null || key === null) return false
  if (!(await setBase(tools.database, link, rowId, null))) return false
  if (mailbox !== null) await noteWithdrawal(tools.database, key)
  if (isMissing || isGone) return true
  const calendar = getCalendar(link, mailbox)
  const id = entryId ?? (await findOfOrganizer(provider, calendar, key))?.id
  if (id !== undefined) await provider.cancelEntry(calendar, id)
  return true
}
