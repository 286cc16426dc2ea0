// Undoes what a write did to absences: deletes absences that it recorded, and restores absences that it deleted, with
// their ids. Bookings that the write released have audit log entries of their own, from which they are restored.
import { AUDITED_ABSENCE_SQL } from '../../../shared/absences/absences-shape.ts'
import { NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import { refuseOtherAbsence } from '../absences/absences.ts'
import { lockActiveUser } from '../users/lock-users.ts'
import { createChangedSinceRefusal, type UndoEntry, type UndoRow } from './entries.ts'

export async function undoAbsences(write: Write, entries: UndoEntry[]): Promise<void> {
  for (const entry of entries)
    await (entry.before === null ? deleteRecorded(write, entry) : restoreDeleted(write, entry, entry.before))
}

async function deleteRecorded(write: Write, entry: UndoEntry): Promise<void> {
  const id = entry.thing
  const former = await write.readFormer('absences', [id])
  const before = await write.first<AuditedRow>(
    `DELETE FROM absences WHERE id = ? RETURNING id, ${AUDITED_ABSENCE_SQL} AS row`,
    [id],
  )
  if (!before) throw await createChangedSinceRefusal(write, entry)
  await write.audit({ action: 'absences.delete', id, former, before: before.row })
}

async function restoreDeleted(write: Write, entry: UndoEntry, row: UndoRow): Promise<void> {
  const { user_id, kind, from, to } = row
  const days = { from: String(from), to: String(to) }
  await lockActiveUser(write, Number(user_id))
  await refuseOtherAbsence(write, Number(user_id), days)
  const restored = await write.first<AuditedRow>(
    `INSERT INTO absences (id, user_id, kind, days) OVERRIDING SYSTEM VALUE VALUES (?, ?, ?, daterange(?, ?, '[]'))
     ON CONFLICT (id) DO NOTHING RETURNING id, ${AUDITED_ABSENCE_SQL} AS row`,
    [entry.thing, user_id, kind, days.from, days.to],
  )
  if (!restored) throw await createChangedSinceRefusal(write, entry)
  const former = NEWLY_CREATED
  await write.audit({ action: 'absences.create', id: restored.id, former, after: restored.row })
}
