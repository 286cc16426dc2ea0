// Defines ranges of local dates, such as the days on which somebody lends a desk. A range includes both its dates.
import { message } from '../messages/message.ts'
import { required, rule } from './fields.ts'
import { date } from './times.ts'

const DAY_MS = 24 * 3_600_000

/** Fields for the first and the last day of a range. `daysMax` is the limit on its number of days. */
export const dayRangeFields = (daysMax: number) => ({
  from: required(date()).meta({ description: 'The first day, on the clock of the building.' }),
  to: required(date())
    .test(
      ...rule<string>(
        'order',
        (name) => message`${name} must not be before the first day.`,
        (to, { parent: { from } }) => typeof from !== 'string' || from <= to,
      ),
    )
    .test(
      ...rule<string>(
        'length',
        (name) => message`${name} must be at most ${daysMax} days after the first day.`,
        (to, { parent: { from } }) => typeof from !== 'string' || countDays({ from, to }) <= daysMax,
      ),
    )
    .meta({ description: 'The last day, inclusive.' }),
})

/** Returns the number of days in a range, including both dates. */
const countDays = ({ from, to }: { from: string; to: string }): number =>
  (Date.parse(to) - Date.parse(from)) / DAY_MS + 1

/**
 * SQL for the instant at which a local date begins in a time zone, as `findStartOfDay` computes it. Postgres takes the
 * second of two midnights, but the day begins at the first one. If the clocks skip midnight, the day begins when they do.
 * The result contains both arguments several times, so they should be columns or values.
 */
export function startOfDaySql(day: string, zone: string): string {
  const start = `(${day}::timestamp AT TIME ZONE ${zone})`
  return `CASE WHEN ((${start} - interval '1 hour') AT TIME ZONE ${zone})::date = ${day}
    THEN ${start} - interval '1 hour' ELSE ${start} END`
}

/** SQL for the instants of a local date in a time zone. */
export const instantsOfDaySql = (day: string, zone: string): string =>
  `tstzrange(${startOfDaySql(day, zone)}, ${startOfDaySql(`(${day} + 1)`, zone)})`

/** SQL for the instants of a range of local dates in a time zone. */
export const instantsOfDaysSql = (days: string, zone: string): string =>
  `tstzrange(${startOfDaySql(`lower(${days})`, zone)}, ${startOfDaySql(`upper(${days})`, zone)})`
