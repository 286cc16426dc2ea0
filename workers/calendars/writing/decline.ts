// Declines entries from outside whose time Berth does not hold, with a sentence for the organizer.
import type { Difference } from './differences.ts'
import { storeDecline } from './entry-rows.ts'
import { writeDecline } from './texts.ts'
import type { Writing } from './writing.ts'

/** A second decline of the same entry does no harm, so nothing is stored before the call. */
export async function declineEntry(writing: Writing, difference: Difference): Promise<void> {
  const { tools, link, provider } = writing
  const { rowId, entryId, reason, conflict, content } = difference
  if (rowId === null || entryId === null || reason === null) return
  const { zone } = link.calendar
  const now = content && { from: content.from, to: content.to }
  const { sentence, told } = writeDecline({ reason, zone, conflict, now })
  const decline = await provider.declineEntry(link.calendar, entryId, sentence)
  await storeDecline(tools.database, link, rowId, { decline, told, reason })
}
