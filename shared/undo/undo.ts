// Undoes the write that an audit log entry records: which entries can be undone, and the job that undoes them.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { flag, id, list, object, required } from '../schemas/fields.ts'
import { writeJob } from '../schemas/job.ts'

export const UNDOABLE_ACTIONS: readonly string[] = [
  'absences.create',
  'absences.delete',
  'bookables.assign',
  'bookables.edit',
  'bookables.set-rules',
  'bookables.unassign',
  'bookables.unassign-all',
  'bookables.update',
  'booking_requests.approve',
  'bookings.clear',
  'bookings.create',
  'bookings.delete',
  'bookings.move',
  'bookings.release-away',
  'bookings.release-day',
  'bookings.update',
  'buildings.set-rules',
  'events.cancel',
  'events.create',
  'events.replace',
  'loans.create',
  'loans.delete',
  'locations.set-rules',
  'series.create',
  'team_days.create',
  'team_days.delete',
]

export const isUndoable = (action: string): boolean => UNDOABLE_ACTIONS.includes(action)

/**
 * The limit on writes that one job undoes together. A form may make several writes, for example when it shortens
 * several bookings on a day.
 */
export const UNDONE_TOGETHER_MAX = 40

export const undoJobs = {
  /** Undoes the whole write behind this entry, if its results have not changed since then. With `skips`,
   * leaves out cancelled bookings that cannot be restored, instead of refusing everything. `also` lists
   * entries of other writes with the same action. Either all of these writes are undone or none. */
  'audit-entries.undo': writeJob(
    object({ id: required(id()), skips: flag(), also: list(required(id()), { max: UNDONE_TOGETHER_MAX }) }),
    answer.data(yup.object({ undone: answer.integer(), left: answer.integer() })),
  ),
}
