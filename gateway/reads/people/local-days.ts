// SQL for the current day of each building, in its own time zone.
import { startOfDaySql } from '../../../shared/schemas/days.ts'

/** SQL for the current day of each building that meets the condition; $1 is the current time. */
export const localDaysSql = (condition = 'true') => `days AS MATERIALIZED (
  SELECT buildings.id, buildings.timezone, ${startOfDaySql('today', 'timezone')} AS starts,
    ${startOfDaySql('(today + 1)', 'timezone')} AS ends
  FROM buildings, LATERAL (SELECT ($1::timestamptz AT TIME ZONE timezone)::date AS today) AS local
  WHERE ${condition}
)`
