// How full days and hours are: bookings of four weeks, and desks by hour. Days and hours are those of each building.
import type pg from 'pg'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { onlyRow } from '../../../../shared/database/database.ts'
import { instantOf } from '../../../../shared/utilities/date-times.ts'
import { type Html, html } from '../../../html/html.ts'
import { OPEN } from '../../../overload/admission.ts'
import { daysSql } from '../../../reads/people/local-days.ts'
import type { Services } from '../../../server/services/services.ts'
import { plural, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { cacheFor } from '../../pages/page/ttl-cache.ts'
import { formatDate } from '../../pages/time/instants.ts'
import { barChart, formatHour } from '../../pages/ui/charts.ts'
import { formatNumber } from '../../pages/ui/parts.ts'
import { BOOKABLE_SQL, latestClaimSql } from './queries.ts'

type DayRow = { day: string; number: number }
type HourRow = { hour: number; taken: number }
type Weeks = { days: DayRow[]; today: string; hours: HourRow[]; desks: number }

const WEEKS_CACHED_MS = 20_000

// Groups by exact start first, which many bookings share, so that few instants are converted to a time zone.
const BOOKINGS_BY_DAY = `
  WITH homes AS MATERIALIZED (
    SELECT bookables.id, locations.building_id FROM bookables JOIN locations ON locations.id = bookables.location_id
  ), starts AS (
    SELECT homes.building_id, lower(bookings.during) AS starts, count(*) AS number
    FROM bookings JOIN homes ON homes.id = bookings.bookable_id
    WHERE bookings.user_id IS NOT NULL
      AND lower(bookings.during) >= $1::timestamptz - interval '15 days'
      AND lower(bookings.during) < $1::timestamptz + interval '16 days'
    GROUP BY 1, 2
  ), begun AS (
    SELECT (starts.starts AT TIME ZONE buildings.timezone)::date AS day, starts.number
    FROM starts JOIN buildings ON buildings.id = starts.building_id
  )
  SELECT to_char(days.day, 'YYYY-MM-DD') AS day, coalesce(sum(begun.number), 0)::int AS number
  FROM generate_series($2::date - 13, $2::date + 14, interval '1 day') AS days (day)
  LEFT JOIN begun ON begun.day = days.day::date
  GROUP BY days.day ORDER BY days.day`

const DESKS_BY_HOUR = `
  WITH ${daysSql()}, claims AS MATERIALIZED (
    SELECT bookables.id,
      extract(hour FROM greatest(lower(found.during), days.starts) AT TIME ZONE days.timezone)::int AS first,
      extract(hour FROM (least(coalesce(upper(found.during), 'infinity'), days.ends) - interval '1 microsecond')
        AT TIME ZONE days.timezone)::int AS last
    FROM bookables
    JOIN locations ON locations.id = bookables.location_id
    JOIN days ON days.id = locations.building_id
    JOIN LATERAL (
      (${latestClaimSql('days.starts')})
      UNION ALL
      SELECT bookings.during FROM bookings
      WHERE bookings.bookable_id = bookables.id AND bookings.exclusive
        AND lower(bookings.during) > days.starts AND lower(bookings.during) < days.ends
    ) AS found ON found.during && tstzrange(days.starts, days.ends)
    WHERE ${BOOKABLE_SQL} AND bookables.type = ${BOOKABLE_TYPES.desk}
  )
  SELECT hour, count(DISTINCT claims.id)::int AS taken
  FROM generate_series(0, 23) AS hour
  LEFT JOIN claims ON hour >= claims.first AND hour <= claims.last
  GROUP BY hour ORDER BY hour`

// The chart's days are those of the time zone that most bookables are in.
const MAIN_DAY = `
  SELECT to_char($1::timestamptz AT TIME ZONE coalesce((
    SELECT timezone FROM buildings
    JOIN locations ON locations.building_id = buildings.id
    JOIN bookables ON bookables.location_id = locations.id
    GROUP BY timezone ORDER BY count(*) DESC, timezone LIMIT 1), 'UTC'), 'YYYY-MM-DD') AS today,
  (SELECT count(*)::int FROM bookables WHERE ${BOOKABLE_SQL} AND type = ${BOOKABLE_TYPES.desk}) AS desks`

/** Covers the past two weeks, the next two weeks, and today by hour. */
const findWeeks = cacheFor(WEEKS_CACHED_MS, ({ reads, now }: Services) =>
  reads.read(OPEN, undefined, ({ pool }) => findCharts(pool, instantOf(now()))),
)

async function findCharts(pool: pg.Pool, instant: string): Promise<Weeks> {
  const main = await pool.query<{ today: string; desks: number }>(MAIN_DAY, [instant])
  const { today, desks } = onlyRow(main.rows)
  const [days, hours] = await Promise.all([
    pool.query<DayRow>(BOOKINGS_BY_DAY, [instant, today]),
    pool.query<HourRow>(DESKS_BY_HOUR, [instant]),
  ])
  return { days: days.rows, today, hours: hours.rows, desks }
}

export async function showWeeks(call: Call): Promise<Html> {
  const { days, today: now, hours, desks } = await findWeeks(call.services)
  const total = days.reduce((sum, { number }) => sum + number, 0)
  if (total === 0 && desks === 0) return html``
  const busiest = hours.reduce((best, each) => (each.taken > best.taken ? each : best), { hour: 0, taken: 0 })
  return html`<div class="grid charts">
${barChart({
  title: t`Bookings per day`,
  summary: describeWeeks(total),
  columns: [t`Day`, t`Bookings`],
  bars: days.map(({ day, number }, index) => ({
    label: formatDate(day, 'weekday'),
    value: number,
    isNow: day === now,
    ...(index % 7 === 6 ? { mark: day === now ? t`today` : formatDate(day, 'short') } : {}),
  })),
  format: formatNumber,
})}
${barChart({
  title: t`Desks by hour`,
  summary:
    busiest.taken === 0
      ? t`No desks are taken today.`
      : t`Busiest at ${formatHour(busiest.hour)}: ${formatNumber(busiest.taken)} of ${formatNumber(desks)} desks.`,
  columns: [t`Hour`, t`Desks taken`],
  bars: hours.map(({ hour, taken }) => ({
    label: formatHour(hour),
    value: taken,
    ...(hour % 6 === 0 && hour > 0 ? { mark: formatHour(hour) } : {}),
  })),
  max: desks,
  format: (value) => (desks === 0 ? '0' : `${formatNumber(value)} (${Math.round((100 * value) / desks)} %)`),
})}</div><p class="soft">${t`Days and hours are in the time zone of each building.`}</p>`
}

function describeWeeks(bookings: number): string {
  if (bookings === 0) return t`No bookings start in these four weeks.`
  return plural(bookings, '# booking starts in these four weeks.', '# bookings start in these four weeks.')
}
