// Finds the audit entry by which a write can be undone.
import type pg from 'pg'
import { UNDOABLE } from '../../../shared/undo/undo.ts'
import { number, selectRow } from '../rows/rows.ts'

/** The last entry of this attempt, if everything that it did can be undone and it is not an undo itself. */
export async function findUndoable(database: pg.Pool, attempt: string): Promise<number | undefined> {
  const newest = `SELECT max(id) AS id FROM audit_log WHERE attempt = $1
    HAVING bool_and(action = ANY($2) AND undoes IS NULL)`
  const found = await selectRow(database, { id: number('id') }, `(${newest}) AS audit_log`, [
    attempt,
    UNDOABLE,
  ])
  return found?.id
}
