// Finds the entry of the audit log by which a write can be undone.
import type pg from 'pg'
import { UNDOABLE_ACTIONS } from '../../../shared/undo/undo.ts'
import { numberColumn, selectRow } from '../rows/rows.ts'

/**
 * Finds the last entry of an attempt. Returns undefined if some of what the attempt did cannot be undone, or if the
 * attempt itself undid something.
 */
export async function findUndoable(database: pg.Pool, attempt: string): Promise<number | undefined> {
  const newest = `SELECT max(id) AS id FROM audit_log WHERE attempt = $1
    HAVING bool_and(action = ANY($2) AND undoes IS NULL)`
  const found = await selectRow(database, { id: numberColumn('id') }, `(${newest}) AS audit_log`, [
    attempt,
    UNDOABLE_ACTIONS,
  ])
  return found?.id
}
