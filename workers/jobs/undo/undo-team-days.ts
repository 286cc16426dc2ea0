// Undoes what a write did to team days: deletes a team day that it created, and restores one that it deleted, with its
// id.
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import type { Write } from '../../runtime/write.ts'
import { createTeamDay, deleteTeamDay } from '../groups/team-days.ts'
import { createChangedSinceRefusal, type UndoEntry } from './entries.ts'

type TeamDayRow = Parameters<typeof createTeamDay>[1] & { id: number }

export async function undoTeamDays(write: Write, entries: UndoEntry[]): Promise<void> {
  for (const entry of entries) {
    const day = (entry.after ?? entry.before) as unknown as TeamDayRow
    await refuseDuringImport(write.trx)
    // Locks the group, because two people may undo the same write at the same moment. If the group was deleted, there is
    // no row to lock, but there are no team days either.
    await write.run('SELECT FROM groups WHERE id = ? FOR NO KEY UPDATE', [day.group_id])
    const isPresent = (await write.first('SELECT FROM team_days WHERE id = ?', [entry.thing])) !== undefined
    if (isPresent !== (entry.after !== null)) throw await createChangedSinceRefusal(write, entry)
    await (isPresent ? deleteTeamDay(write, day) : createTeamDay(write, day))
  }
}
