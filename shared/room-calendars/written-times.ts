// SQL for the times at which a claim is written to a calendar. Calendars know whole seconds and no open end.
import { startOfDaySql } from '../schemas/days.ts'

const writtenFromSql = (during: string): string => `date_trunc('second', lower(${during}))`

/** SQL for the first moment after the local day of an instant. */
const dayEndSql = (instant: string, zone: string): string =>
  startOfDaySql(`((${instant} AT TIME ZONE ${zone})::date + 1)`, zone)

/**
 * SQL for the times of a claim in a calendar. An entry without an end lasts until the end of the current local day, or of its
 * first day if that is later: the comparison moves it on every day.
 */
export const writtenTimesSql = (during: string, { zone, now }: { zone: string; now: string }) => ({
  from: writtenFromSql(during),
  to: `CASE WHEN upper_inf(${during}) THEN ${dayEndSql(`greatest(${now}, lower(${during}))`, zone)}
    ELSE greatest(date_trunc('second', upper(${during})), ${writtenFromSql(during)} + interval '1 second') END`,
})
