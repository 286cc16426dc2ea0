// The jobs that write bookables, one or many.
import * as yup from 'yup'
import { affectedBookingsFields, resolution } from '../rules/affected-bookings-input.ts'
import * as answer from '../schemas/answers.ts'
import { email, id, list, object, required, text, uuid } from '../schemas/fields.ts'
import { ids, matching, notEmpty, version } from '../schemas/inputs.ts'
import { job, write } from '../schemas/job.ts'
import { fileReply, importCountsSchema, refusedRowsInput } from '../users/users.ts'
import { bookableChangesSchema, bookableDeletionQuery, newBookableSchema } from './bookable-inputs.ts'
import {
  fullBookableSchema,
  furnished,
  kind,
  MANY_MAX,
  name,
  positionSchema,
  settableStatus,
  taggedBookableSchema,
  tagList,
} from './bookables.ts'

const many = { ids: required(ids({ max: MANY_MAX })) }

const assignment = { id: required(id()), user_id: required(id()) }

const assignedReply = answer.data(yup.object({ id: answer.id(), assignees: answer.integer() }))

/** How many were changed. Those already as requested stay unchanged and are not audited. */
const changedReply = answer.data(yup.object({ changed: answer.integer() }))

/** Absent fields of a change stay unchanged. */
export const bookableJobs = {
  'bookables.create-one': write(newBookableSchema, answer.data(fullBookableSchema)),
  'bookables.update': write(bookableChangesSchema.shape(matching()), answer.data(taggedBookableSchema)),
  'bookables.delete-one': write(bookableDeletionQuery.shape(matching()), null),
  'bookables.create': write(
    object({
      ...furnished,
      location_id: required(id()),
      names: required(notEmpty(list(required(text({ max: 255, min: 1 })), { max: MANY_MAX }))),
      type: required(kind()),
    }),
    answer.data(yup.object({ ids: answer.list(answer.id()) })),
  ),
  'bookables.edit': write(
    object({
      ...furnished,
      id: required(id()),
      name,
      type: kind(),
      integration_email: email().nullable(),
      location_id: id(),
      version: version(),
      /** If it becomes blocked: what happens to its bookings. */
      ...affectedBookingsFields(),
    }),
    answer.idReply,
  ),
  'bookables.set-position': write(positionSchema, answer.idReply),
  /** Creates codes for all bookables of a floor that have none yet. */
  'bookables.make-codes': write(
    object({ location_id: required(id()) }),
    answer.data(yup.object({ made: answer.integer() })),
  ),
  'bookables.renew-code': write(object({ id: required(id()) }), answer.idReply),
  /** Assigns it to one more person; others that it is assigned to keep it. */
  'bookables.assign': write(object({ ...assignment, ...affectedBookingsFields() }), assignedReply),
  /** Removes one person. Without any assignee, everyone may book it. */
  'bookables.unassign': write(object(assignment), assignedReply),
  'bookables.unassign-all': write(object({ id: required(id()) }), assignedReply),
  'bookables.delete': write(
    object({ ...many, in_the_way: resolution() }),
    answer.data(yup.object({ deleted: answer.integer() })),
  ),
  // Jobs on many bookables change all of them or none.
  'bookables.set-status': write(
    object({
      ...many,
      status: required(settableStatus()),
      /** If they become blocked: what happens to their bookings. */
      ...affectedBookingsFields(),
    }),
    changedReply,
  ),
  'bookables.set-tags': write(
    object({ ...many, add: required(tagList()), remove: required(tagList()) }),
    changedReply,
  ),
  /** Puts each on the floor plan at its own position, or takes it off. */
  'bookables.set-positions': write(
    object({
      positions: required(notEmpty(list(required(positionSchema), { max: MANY_MAX }))),
    }),
    changedReply,
  ),
  /** Moves them to another location. Their positions were on the floor plan of the former one. */
  'bookables.relocate': write(object({ ...many, location_id: required(id()) }), changedReply),
  /** Assigns them to one person; refused if one is assigned to others. */
  'bookables.assign-many': write(
    object({ ...many, user_id: required(id()), ...affectedBookingsFields() }),
    changedReply,
  ),
  'bookables.unassign-many': write(object(many), changedReply),
}

const counts = importCountsSchema.pick(['create', 'change', 'skip', 'error'])

const input = object({
  file_id: required(uuid()),
  filename: required(text({ max: 1000 })),
  location_id: required(id()),
})

export const bookableImportJobs = {
  /** Stores what an import would do row by row, under the id of the attempt. */
  'bookables.plan-import': job({
    queue: 'imports',
    input,
    reply: yup.object({ counts }),
  }),
  /** Applies exactly this import plan; if the plan would differ by now, the new one is stored instead. */
  'bookables.apply-import-plan': job({
    queue: 'imports',
    input: input.shape({ plan_id: required(uuid()) }),
    reply: yup.object({ applied: answer.flag(), counts }),
  }),
  /** The refused rows of an import plan as they were uploaded, each with its errors. */
  'bookables.export-refused': job({
    queue: 'exports',
    input: refusedRowsInput,
    reply: fileReply,
  }),
}
