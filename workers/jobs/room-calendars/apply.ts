// Applies what an entry of a room's calendar says: creates, changes or cancels what it is in Berth. Whatever the job was
// queued for, the entry is applied as it is now. So a job that comes twice or late does no harm.
import { isLockTimeout } from '../../../shared/database/faults.ts'
import { type Handlers, openWrite, type Write } from '../../runtime/write.ts'
import { lockEntry, saveEntry } from './entry-rows.ts'
import { applyOutsideEntry } from './outside-entries.ts'
import { applyOwnEntry } from './own-entries.ts'

// No caller waits for this job, but while it waits for a lock, it delays other writes of its worker. After this time the job ends, and
// the entry stays pending, so the engine queues it again later. Jobs of one calendar wait less than this for each other.
const LOCK_TIMEOUT_MS = 2_000

export const roomCalendarHandlers: Handlers<'room-calendars.apply'> = {
  async 'room-calendars.apply'(write, { entry_id, applies_rules = false }) {
    const applyEntry = async (trial: Write) => {
      const entry = await lockEntry(trial, entry_id)
      if (!entry) return
      const apply = entry.isWritten ? applyOwnEntry : applyOutsideEntry
      await saveEntry(trial, entry, await apply(trial, entry, { appliesRules: applies_rules }))
    }
    try {
      await write.trx.transaction(async (savepoint) => {
        await savepoint.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
        await applyEntry(openWrite(savepoint, write))
      })
    } catch (error) {
      if (!isLockTimeout(error)) throw error
    }
    return null
  },
}
