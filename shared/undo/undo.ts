// Undoing what an entry of the audit log records: which entries can be undone, and the job.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { flag, id, list, object, required } from '../schemas/fields.ts'
import { write } from '../schemas/job.ts'

export const UNDOABLE: readonly string[] = [
  'bookables.assign',
  'bookables.edit',
  'bookables.set-rules',
  'bookables.unassign',
  'bookables.unassign-all',
  'bookables.update',
  'bookings.clear',
  'bookings.create',
  'bookings.delete',
  'bookings.move',
  'bookings.update',
  'buildings.set-rules',
  'locations.set-rules',
]

export const isUndoable = (action: string): boolean => UNDOABLE.includes(action)

/** Each is one write of a form, such as a booking of a day that gets shorter. */
export const UNDONE_TOGETHER_MAX = 40

export const undoJobs = {
  /**
   * Undoes the whole write that left this entry, if what it changed is still as it left it. `skips` leaves out the
   * cancelled bookings that cannot come back, instead of refusing the rest with them. `also` has entries of other writes
   * of the same action: all of them are undone, or none.
   */
  'audit-entries.undo': write(
    object({ id: required(id()), skips: flag(), also: list(required(id()), { max: UNDONE_TOGETHER_MAX }) }),
    answer.data(yup.object({ undone: answer.integer(), left: answer.integer() })),
  ),
}
