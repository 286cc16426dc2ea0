// The jobs that write bookables, one or several at a time.
import * as yup from 'yup'
import { affectedBookingsFields, resolutionChoice } from '../rules/affected-bookings-input.ts'
import * as answer from '../schemas/answers.ts'
import { email, id, list, object, required, text, uuid } from '../schemas/fields.ts'
import { formVersion, idAndIfMatch, idList, notEmpty } from '../schemas/inputs.ts'
import { job, writeJob } from '../schemas/job.ts'
import { fileReply, importCountsSchema, refusedRowsInput } from '../users/users.ts'
import { bookableChangesSchema, bookableDeletionQuery, newBookableSchema } from './bookable-inputs.ts'
import {
  BOOKABLES_PER_WRITE_MAX,
  bookableNameInput,
  bookableTypeInput,
  fullBookableSchema,
  furnishingFields,
  positionSchema,
  settableStatusInput,
  taggedBookableSchema,
  tagsInput,
} from './bookables.ts'

const bookableIdsFields = { ids: required(idList({ max: BOOKABLES_PER_WRITE_MAX })) }

const assignmentFields = { id: required(id()), user_id: required(id()) }

const assignedReply = answer.data(yup.object({ id: answer.id(), assignees: answer.integer() }))

/** The number of changed bookables. Bookables that already match the request stay unchanged and are not audited. */
const changedReply = answer.data(yup.object({ changed: answer.integer() }))

/** Fields that are absent from a change stay unchanged. */
export const bookableJobs = {
  'bookables.create-one': writeJob(newBookableSchema, answer.data(fullBookableSchema)),
  'bookables.update': writeJob(
    bookableChangesSchema.shape(idAndIfMatch()),
    answer.data(taggedBookableSchema),
  ),
  'bookables.delete-one': writeJob(bookableDeletionQuery.shape(idAndIfMatch()), null),
  'bookables.create': writeJob(
    object({
      ...furnishingFields,
      location_id: required(id()),
      names: required(notEmpty(list(required(text({ max: 255, min: 1 })), { max: BOOKABLES_PER_WRITE_MAX }))),
      type: required(bookableTypeInput()),
    }),
    answer.data(yup.object({ ids: answer.list(answer.id()) })),
  ),
  'bookables.edit': writeJob(
    object({
      ...furnishingFields,
      id: required(id()),
      name: bookableNameInput,
      type: bookableTypeInput(),
      integration_email: email().nullable(),
      location_id: id(),
      version: formVersion(),
      /** The choice of what happens to the bookings of a bookable that becomes blocked. */
      ...affectedBookingsFields(),
    }),
    answer.idReply,
  ),
  'bookables.set-position': writeJob(positionSchema, answer.idReply),
  /** Creates codes for all bookables of a floor that do not have a code yet. */
  'bookables.make-codes': writeJob(
    object({ location_id: required(id()) }),
    answer.data(yup.object({ made: answer.integer() })),
  ),
  'bookables.renew-code': writeJob(object({ id: required(id()) }), answer.idReply),
  /** Assigns a bookable to one more person. It also stays assigned to everybody else. */
  'bookables.assign': writeJob(object({ ...assignmentFields, ...affectedBookingsFields() }), assignedReply),
  /** Removes one assignee of a bookable. A bookable without assignees can be booked by everyone. */
  'bookables.unassign': writeJob(object(assignmentFields), assignedReply),
  'bookables.unassign-all': writeJob(object({ id: required(id()) }), assignedReply),
  'bookables.delete': writeJob(
    object({ ...bookableIdsFields, in_the_way: resolutionChoice() }),
    answer.data(yup.object({ deleted: answer.integer() })),
  ),
  // A job on many bookables changes either all of them or none.
  'bookables.set-status': writeJob(
    object({
      ...bookableIdsFields,
      status: required(settableStatusInput()),
      /** The choice of what happens to the bookings of bookables that become blocked. */
      ...affectedBookingsFields(),
    }),
    changedReply,
  ),
  'bookables.set-tags': writeJob(
    object({ ...bookableIdsFields, add: required(tagsInput()), remove: required(tagsInput()) }),
    changedReply,
  ),
  /** Sets each bookable's position on the floor plan, or removes it from the plan. */
  'bookables.set-positions': writeJob(
    object({
      positions: required(notEmpty(list(required(positionSchema), { max: BOOKABLES_PER_WRITE_MAX }))),
    }),
    changedReply,
  ),
  /**
   * Moves bookables to another location. They lose their positions, which belong to the former location's floor plan.
   */
  'bookables.relocate': writeJob(object({ ...bookableIdsFields, location_id: required(id()) }), changedReply),
  /** Assigns bookables to one person. Refused if any of the bookables is assigned to somebody else. */
  'bookables.assign-many': writeJob(
    object({ ...bookableIdsFields, user_id: required(id()), ...affectedBookingsFields() }),
    changedReply,
  ),
  'bookables.unassign-many': writeJob(object(bookableIdsFields), changedReply),
}

const counts = importCountsSchema.pick(['create', 'change', 'skip', 'error'])

const bookableImportInput = object({
  file_id: required(uuid()),
  filename: required(text({ max: 1000 })),
  location_id: required(id()),
})

export const bookableImportJobs = {
  /** Stores the plan of an import, row by row, under the id of the attempt. */
  'bookables.plan-import': job({
    queue: 'imports',
    input: bookableImportInput,
    reply: yup.object({ counts }),
  }),
  /**
   * Applies this import plan if it is still correct. If the same file would now lead to another plan, stores the new
   * plan and applies nothing.
   */
  'bookables.apply-import-plan': job({
    queue: 'imports',
    input: bookableImportInput.shape({ plan_id: required(uuid()) }),
    reply: yup.object({ applied: answer.flag(), counts }),
  }),
  /** Exports the rows that an import plan refused, as they were uploaded, each with its errors. */
  'bookables.export-refused': job({
    queue: 'exports',
    input: refusedRowsInput,
    reply: fileReply,
  }),
}
