// Defines loans: days on which the owner of an assigned bookable lends it, so that everybody may book it. Contains the
// API schemas of loans, the jobs that write them, and the check whether a bookable is lent at a time.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { dayRangeFields } from '../schemas/days.ts'
import { id, object, required } from '../schemas/fields.ts'
import { writeJob } from '../schemas/job.ts'
import { formatLocalDate } from '../schemas/wall-clock.ts'

/** The limit on the days of one loan. The database checks it too. */
export const LOAN_DAYS_MAX = 366
/** The limit on the loans of a bookable that are not over. */
export const LOANS_MAX = 100

const DAY_MS = 24 * 3_600_000

export const loanSchema = yup
  .object({
    id: answer.id(),
    bookable_id: answer.id(),
    user_id: answer.id('The owner, who lends the bookable.'),
    from: answer.date(),
    to: answer.date(),
  })
  .meta({ component: 'Loan' })

export const newLoanSchema = object({
  ...dayRangeFields(LOAN_DAYS_MAX),
  user_id: id().meta({
    description: 'The owner who lends the bookable. Can be omitted if it is assigned to one person only.',
  }),
})

const bookableFields = { bookable_id: required(id()) }

export const loanJobs = {
  'loans.create': writeJob(newLoanSchema.shape(bookableFields), answer.data(loanSchema)),
  'loans.delete': writeJob(object({ ...bookableFields, loan_id: required(id()) }), null),
}

/** The days on which a bookable is lent, in the time zone of its building. */
export type LentDays = { zone: string; days: Array<{ from: string; to: string }> }

/** Returns whether the bookable is lent on every local date of the time span. */
export function isLentAt(
  { zone, days }: LentDays,
  { from, to }: { from: string; to: string | null },
): boolean {
  if (to === null) return false
  const last = formatLocalDate(new Date(Date.parse(to) - 1).toISOString(), zone)
  let next = formatLocalDate(from, zone)
  for (const each of days.toSorted((a, b) => (a.from < b.from ? -1 : 1)))
    if (each.from <= next && next <= each.to) next = addDay(each.to)
  return next > last
}

const addDay = (date: string) => new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10)
