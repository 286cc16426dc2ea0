// SQL for the current day of each building, in its own time zone.

/** SQL for the current day of each building that meets the condition; $1 is the current time. */
export const localDaysSql = (condition = 'true') => `days AS MATERIALIZED (
  SELECT buildings.id, buildings.timezone, today AT TIME ZONE timezone AS starts,
    (today + interval '1 day') AT TIME ZONE timezone AS ends
  FROM buildings, LATERAL (SELECT date_trunc('day', $1::timestamptz AT TIME ZONE timezone) AS today) AS local
  WHERE ${condition}
)`
