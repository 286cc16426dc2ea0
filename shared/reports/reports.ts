// Defines the schema of a request for a page or a file with the figures of a report.
import type * as yup from 'yup'
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import { type MessageValue, message } from '../messages/message.ts'
import { choice, flag, id, integer, object, required } from '../schemas/fields.ts'
import { job } from '../schemas/job.ts'
import { date } from '../schemas/times.ts'
import { exportQuerySchema, fileReply } from '../users/users.ts'

const REPORT_BOOKABLE_TYPES = Object.values(BOOKABLE_TYPES)
/**
 * The kinds of report file: `floors` has the days of each floor, and `bookables` has the totals of each desk, room and
 * parking spot.
 */
export const REPORT_FILES = ['floors', 'bookables'] as const
export type ReportFile = (typeof REPORT_FILES)[number]

const createChoiceMessage = (name: MessageValue) => message`${name} must be one of the choices.`

/** The fields of a report. Days are in the local time of each building. The last hour is not included. */
const reportFields = {
  first_day: required(date()),
  last_day: required(date()),
  building_id: id(),
  type: choice(REPORT_BOOKABLE_TYPES, createChoiceMessage),
  from_hour: required(integer({ min: 0, max: 23 })),
  to_hour: required(integer({ min: 1, max: 24 })),
  weekdays_only: required(flag()),
}
const reportSchema = object(reportFields)
export type Report = yup.InferType<typeof reportSchema>

export const reportJobs = {
  'reports.export': job({
    queue: 'exports',
    input: exportQuerySchema.shape({
      ...reportFields,
      of: required(choice(REPORT_FILES, createChoiceMessage)),
    }),
    reply: fileReply,
  }),
}
