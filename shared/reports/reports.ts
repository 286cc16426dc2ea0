// Reports: which figures of which days a page or a file requests.
import type * as yup from 'yup'
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import { message, type Value } from '../messages/message.ts'
import { choice, flag, id, integer, object, required } from '../schemas/fields.ts'
import { job } from '../schemas/job.ts'
import { date } from '../schemas/times.ts'
import { exportQuerySchema, fileReply } from '../users/users.ts'

const TYPES = Object.values(BOOKABLE_TYPES)
/** The days of each floor, or the sums of each desk, room and parking spot. */
export const REPORT_FILES = ['floors', 'bookables'] as const
export type ReportFile = (typeof REPORT_FILES)[number]

const choices = (name: Value) => message`${name} must be one of the choices.`

/** Days on the clocks of each building; hours count from the first to before the last. */
const reportFields = {
  first_day: required(date()),
  last_day: required(date()),
  building_id: id(),
  type: choice(TYPES, choices),
  from_hour: required(integer({ min: 0, max: 23 })),
  to_hour: required(integer({ min: 1, max: 24 })),
  weekdays_only: required(flag()),
}
const reportSchema = object(reportFields)
export type Report = yup.InferType<typeof reportSchema>

export const reportJobs = {
  'reports.export': job({
    queue: 'exports',
    input: exportQuerySchema.shape({ ...reportFields, of: required(choice(REPORT_FILES, choices)) }),
    reply: fileReply,
  }),
}
