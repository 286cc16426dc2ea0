// The calls that bring the calendar of a room in step with its claims. Each stores before the call what it intends, and after
// it what the provider answered, so that a lost answer or the end of the process leaves exactly one entry.

import { isFault, ProviderFault } from '../../../shared/room-calendars/providers/provider.ts'
import { createEntryKey, parseEntryKey } from '../entry-keys.ts'
import { noteInvited, noteMissing } from '../organizers.ts'
import { toSeenEntry } from '../reading/seen-entries.ts'
import type { Difference } from './differences.ts'
import {
  type BegunEntry,
  beginCreation,
  beginReplacement,
  deleteRow,
  listKeys,
  setBase,
  storeMoved,
  storeWritten,
} from './entry-rows.ts'
import { changeMeeting, completeCreation, leaveMeeting } from './write-meetings.ts'
import { getCalendar, isElsewhere, storeAgain, toChange, toContent, type Writing } from './writing.ts'

const DELETED_ENTRIES_MAX = 5

/** Creates the entry of a claim, or finds the one that an earlier call created. */
export async function createEntry(writing: Writing, difference: Difference): Promise<void> {
  const { tools, link } = writing
  const { eventId, bookingId, content } = difference
  if (!content) return
  const isMoved = isElsewhere(difference)
  // An entry is removed from one calendar before it is created in another one, so that there are never two.
  if (isMoved && !(await leaveMeeting(writing, difference))) return
  const known = content.organizer ? [] : await listKeys(tools.database, link, { eventId, bookingId })
  for (let number = findNextNumber(known), tries = 0; tries < DELETED_ENTRIES_MAX; number++, tries++) {
    const isResumed = tries === 0 && difference.key !== null && !difference.isGone && !isMoved
    const key = isResumed && difference.key ? difference.key : createKey(writing, difference, number)
    const begun = await beginEntry(writing, difference, key, tries > 0 || isMoved)
    if (!begun) return
    difference.rowId = begun.id
    const { invited } = begun
    const entry = await findCreated(writing, key, begun)
    if (entry instanceof ProviderFault) {
      if (await noteMissing(tools.database, key)) return
      throw entry
    }
    if (!entry || entry.isCancelled) continue
    if (invited) return completeCreation(writing, { id: begun.id, key, content: begun.base, invited }, entry)
    // If Berth has deleted the row of an earlier creation, the entry of that creation may be over although its claim is not.
    const isOlder = Date.parse(entry.to) <= tools.now() && Date.parse(begun.base.to) > tools.now()
    return storeWritten(tools.database, link, begun.id, { entry, content: begun.base, isOlder })
  }
  throw new ProviderFault('rejected', 'The entry was deleted several times.')
}

// Returns the fault if the organizer has no mailbox. Google keeps the keys of deleted entries and returns these entries as
// cancelled. Graph may refuse such a key.
async function findCreated({ provider, link }: Writing, key: string, { base }: BegunEntry) {
  const calendar = getCalendar(link, base.organizer?.address)
  try {
    return await provider.createEntry(calendar, key, toContent(base))
  } catch (error) {
    if (isFault(error, 'exists')) return undefined
    if (calendar.isPersonal && isFault(error, 'not_found', 'forbidden')) return error
    throw error
  }
}

/**
 * Stores that an entry is to be created and, for a meeting, whom it invites. One transaction stores both: if this process ends and
 * somebody then cancels the meeting, Berth must know whose calendar may have the entry.
 */
function beginEntry(
  { tools, link }: Writing,
  { rowId, isGone, eventId, bookingId, content }: Difference,
  key: string,
  isRetry: boolean,
): Promise<(BegunEntry & { invited?: string[] }) | undefined> {
  if (!content) return Promise.resolve(undefined)
  return tools.database.transaction(async (transaction) => {
    const begun =
      rowId !== null && (isGone || isRetry)
        ? await beginReplacement(transaction, link, rowId, { key, content })
        : await beginCreation(transaction, link, { key, eventId, bookingId, content })
    if (!begun || eventId === null || parseEntryKey(key)?.kind !== 'meeting') return begun
    const noted = { key, eventId, provider: link.provider, content: begun.base }
    return { ...begun, invited: await noteInvited(transaction, noted) }
  })
}

const findNextNumber = (keys: string[]): number =>
  Math.max(0, ...keys.map((key) => parseEntryKey(key)?.number ?? 1)) + 1

function createKey(
  { identity, link: { bookableId, provider } }: Writing,
  { eventId, bookingId, content }: Difference,
  number: number,
) {
  const organizer = content?.organizer
  if (eventId === null)
    return createEntryKey({ identity, kind: 'booking', id: bookingId ?? 0, ownerId: bookableId, number })
  return organizer
    ? createEntryKey({ identity, kind: 'meeting', provider, id: eventId, ownerId: organizer.id, number })
    : createEntryKey({ identity, kind: 'event', id: eventId, ownerId: bookableId, number })
}

/**
 * Changes an entry that Berth wrote. If somebody has changed or deleted it meanwhile, stores that, so that it is applied
 * first.
 */
export async function changeEntry(writing: Writing, difference: Difference): Promise<void> {
  const { tools, link, provider } = writing
  const { rowId, entryId, version, content, base } = difference
  if (rowId === null || entryId === null || !content) return
  if (isElsewhere(difference)) return createEntry(writing, difference)
  if (difference.mailbox !== null) return changeMeeting(writing, difference)
  if (version === null) return readAgain(writing, entryId)
  if (!(await setBase(tools.database, link, rowId, null))) return
  try {
    const entry = await provider.changeEntry(link.calendar, entryId, version, toChange(content, base))
    await storeWritten(tools.database, link, rowId, { entry, content })
  } catch (error) {
    // Only without an answer is it unknown what the calendar has.
    if (error instanceof ProviderFault && error.kind !== 'unavailable')
      await setBase(tools.database, link, rowId, base)
    if (!isFault(error, 'conflict', 'not_found', 'gone')) throw error
    await readAgain(writing, entryId)
  }
}

/** Gives an entry that Berth did not write the times of its event. Everything else in it stays. */
export async function moveEntry(writing: Writing, difference: Difference): Promise<void> {
  const { tools, link, provider } = writing
  const { rowId, entryId, version, content } = difference
  if (rowId === null || entryId === null || !content) return
  if (version === null) return readAgain(writing, entryId)
  const { from, to } = content
  try {
    const entry = await provider.changeEntry(link.calendar, entryId, version, { from, to })
    await storeMoved(tools.database, link, rowId, entry)
  } catch (error) {
    if (!isFault(error, 'conflict', 'not_found', 'gone')) throw error
    await readAgain(writing, entryId)
  }
}

/** Stores an entry as it is now, as a reading does. If it says something new, that is applied before it is written again. */
async function readAgain(writing: Writing, entryId: string): Promise<void> {
  const { link, provider } = writing
  const entry = await provider.getEntry(link.calendar, entryId)
  if (!entry) await requireCalendar(writing)
  await storeAgain(writing, entryId, entry)
}

// A provider gives the same answer if one entry is gone as if the whole calendar is gone or no longer shared, and the removal of an
// entry cancels a booking. Throws the fault if the calendar is gone. Ignores the page of changes, because the next reading gets it
// again.
async function requireCalendar({ link, provider }: Writing): Promise<void> {
  if (link.period) await provider.listChanges(link.calendar, link.position, link.period)
}

/** Removes an entry from the calendar, and then its row. */
export async function cancelEntry(writing: Writing, difference: Difference): Promise<void> {
  const { tools, link, provider } = writing
  const { rowId, key, digest, base, hasFault, mailbox } = difference
  if (rowId === null) return
  if (mailbox !== null) {
    if (await leaveMeeting(writing, difference)) await deleteRow(tools.database, link, rowId)
    return
  }
  let { entryId } = difference
  // The answer to a creation was lost. The same call again says which entry it created, if any. A creation that the provider
  // refused has left nothing.
  if (entryId === null && key !== null && base && !hasFault) {
    const created = await findCreated(writing, key, { id: rowId, base })
    entryId = created === undefined || created instanceof ProviderFault ? null : created.id
  }
  if (entryId !== null && key === null) {
    // Somebody may have moved this meeting from outside since it was read, which makes it a new request for the room. Its version says
    // less: the occurrences of a CalDAV series share one.
    const entry = await provider.getEntry(link.calendar, entryId)
    if (entry && toSeenEntry(entry, link.calendar).digest !== digest)
      return storeAgain(writing, entryId, entry)
  }
  // If the answer is lost, the removal must not count as one by somebody else, because the booking or event may have the room again.
  if (difference.entryId !== null && key !== null && !(await setBase(tools.database, link, rowId, null)))
    return
  if (entryId !== null) await provider.cancelEntry(link.calendar, entryId)
  await deleteRow(tools.database, link, rowId)
}
