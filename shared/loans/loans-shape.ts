// SQL for loans: their JSON, and whether a bookable is lent at a time.
import { rowJson } from '../schemas/json.ts'
import { loanSchema } from './loans.ts'

/** SQL for the first day of a loan. */
export const FIRST_LENT_DAY_SQL = 'lower(loans.days)'
/** SQL for the last day of a loan. */
export const LAST_LENT_DAY_SQL = '(upper(loans.days) - 1)'

export const loanJson = rowJson(loanSchema, 'loans', { from: FIRST_LENT_DAY_SQL, to: LAST_LENT_DAY_SQL })

/** SQL for a loan as the audit log stores it. */
export const AUDITED_LOAN_SQL = `jsonb_build_object('id', loans.id, 'bookable_id', loans.bookable_id,
  'user_id', loans.user_id, 'from', ${FIRST_LENT_DAY_SQL}, 'to', ${LAST_LENT_DAY_SQL})`

/**
 * SQL condition that a bookable (SQL for its id) is lent on every local date of a time span, in the time zone of its
 * building. The condition must never be true if isLentAt returns false.
 */
export const isLentSql = (bookable: string, from: string, to: string): string => `coalesce((
  SELECT range_agg(loans.days) @> daterange(timezone(min(lent_in.timezone), ${from})::date,
    timezone(min(lent_in.timezone), ${to} - interval '1 microsecond')::date, '[]')
  FROM loans JOIN bookables AS lent ON lent.id = loans.bookable_id
  JOIN locations AS lent_on ON lent_on.id = lent.location_id JOIN buildings AS lent_in ON lent_in.id = lent_on.building_id
  WHERE loans.bookable_id = ${bookable}), false)`

/** SQL for the last day of the loan of `bookables` at a moment, or of the loans that adjoin it, or null. Needs its building. */
export const lentUntilSql = (moment: string): string => `(
  SELECT to_char(upper(lent.days) - 1, 'YYYY-MM-DD')
  FROM (SELECT unnest(range_agg(loans.days)) AS days FROM loans WHERE loans.bookable_id = bookables.id) AS lent
  WHERE lent.days @> timezone(buildings.timezone, ${moment}::timestamptz)::date)`

/** SQL for the days on which a bookable is lent, in the format of LentDays, or null. Needs the row of its building. */
export const lentDaysJson = (bookable: string): string => `(
  SELECT json_build_object('zone', buildings.timezone, 'days',
    json_agg(json_build_object('from', ${FIRST_LENT_DAY_SQL}, 'to', ${LAST_LENT_DAY_SQL})))
  FROM loans WHERE loans.bookable_id = ${bookable} HAVING count(*) > 0)`
