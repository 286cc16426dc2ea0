// Defines the API schemas of absences (the days on which a person is away), and the jobs that write absences.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { dayRangeFields } from '../schemas/days.ts'
import { choice, flag, id, object, required } from '../schemas/fields.ts'
import { writeJob } from '../schemas/job.ts'

export const ABSENCE_KINDS = ['away'] as const

/** The limit on the days of one absence. The database checks it too. */
export const ABSENCE_DAYS_MAX = 1_100
/** The limit on a person's absences that are not over. */
export const ABSENCES_MAX = 200

const absenceFields = {
  id: answer.id(),
  user_id: answer.id(),
  kind: answer.oneOf(ABSENCE_KINDS),
  from: answer.date(),
  to: answer.date(),
}
export const absenceSchema = yup.object(absenceFields).meta({ component: 'Absence' })
export type Absence = yup.InferType<typeof absenceSchema>

export const createdAbsenceSchema = yup
  .object({
    ...absenceFields,
    released_bookings: answer.integer('The number of bookings that were cancelled or shortened.'),
  })
  .meta({ component: 'CreatedAbsence' })

export const newAbsenceSchema = object({
  kind: choice(ABSENCE_KINDS, (name) => message`${name} must be “away”.`)
    .default('away')
    .meta({ whenAbsent: 'away' }),
  ...dayRangeFields(ABSENCE_DAYS_MAX),
  release_bookings: flag().meta({
    description:
      'Whether to release the person’s own bookings on these days. A longer booking keeps its other days. Bookings for guests and meetings stay.',
    whenAbsent: false,
  }),
})

const userFields = { user_id: required(id()) }

export const absenceJobs = {
  'absences.create': writeJob(newAbsenceSchema.shape(userFields), answer.data(createdAbsenceSchema)),
  'absences.delete': writeJob(object({ ...userFields, absence_id: required(id()) }), null),
}
