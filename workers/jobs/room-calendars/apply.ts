// Applies what an entry of a room's calendar says: creates, changes or cancels what it is in Berth. Whatever the job was
// queued for, the entry is applied as it is now. So a job that comes twice or late does no harm.
import type { Handlers } from '../../runtime/write.ts'
import { lockEntry, saveEntry } from './entry-rows.ts'
import { applyOutsideEntry } from './outside-entries.ts'
import { applyOwnEntry } from './own-entries.ts'

export const roomCalendarHandlers: Handlers<'room-calendars.apply'> = {
  async 'room-calendars.apply'(write, { entry_id, applies_rules = false }) {
    const entry = await lockEntry(write, entry_id)
    if (!entry) return null
    const apply = entry.isWritten ? applyOwnEntry : applyOutsideEntry
    await saveEntry(write, entry, await apply(write, entry, { appliesRules: applies_rules }))
    return null
  },
}
