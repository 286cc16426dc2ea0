// Shows how full the days and hours are: the bookings of four weeks, and desks by hour. Days and hours are
// local to each building.
import type pg from 'pg'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { formatInstant } from '../../../../shared/utilities/date-times.ts'
import { type Html, html } from '../../../html/html.ts'
import { NO_TOKEN_OWNER } from '../../../overload/admission.ts'
import { localDaysSql } from '../../../reads/people/local-days.ts'
import type { Services } from '../../../server/services/services.ts'
import { plural, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { createCacheFor } from '../../pages/page/ttl-cache.ts'
import { formatDate } from '../../pages/time/instants.ts'
import { formatHour, showBarChart } from '../../pages/ui/charts.ts'
import { formatNumber } from '../../pages/ui/parts.ts'
import { IS_BOOKABLE_SQL, latestClaimSql } from './queries.ts'

type DayRow = { day: string; number: number }
type HourRow = { hour: number; taken: number }
type WeeksFigures = { days: DayRow[]; today: string; hours: HourRow[]; desks: number }

const WEEKS_CACHE_MS = 20_000

// Groups bookings first by their exact start, which many bookings share, so that few instants are converted
// to a time zone.
const SELECT_BOOKINGS_BY_DAY = `
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

const SELECT_DESKS_BY_HOUR = `
  WITH ${localDaysSql()}, claims AS MATERIALIZED (
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
    WHERE ${IS_BOOKABLE_SQL} AND bookables.type = ${BOOKABLE_TYPES.desk}
  )
  SELECT hour, count(DISTINCT claims.id)::int AS taken
  FROM generate_series(0, 23) AS hour
  LEFT JOIN claims ON hour >= claims.first AND hour <= claims.last
  GROUP BY hour ORDER BY hour`

// The current day of the chart, in the time zone of most bookables.
const SELECT_MAIN_DAY = `
  SELECT to_char($1::timestamptz AT TIME ZONE coalesce((
    SELECT timezone FROM buildings
    JOIN locations ON locations.building_id = buildings.id
    JOIN bookables ON bookables.location_id = locations.id
    GROUP BY timezone ORDER BY count(*) DESC, timezone LIMIT 1), 'UTC'), 'YYYY-MM-DD') AS today,
  (SELECT count(*)::int FROM bookables WHERE ${IS_BOOKABLE_SQL} AND type = ${BOOKABLE_TYPES.desk}) AS desks`

/** Finds the bookings of the past two weeks, of the next two weeks, and of today by hour. */
const findWeeks = createCacheFor(WEEKS_CACHE_MS, ({ reads, now }: Services) =>
  reads.read(NO_TOKEN_OWNER, undefined, ({ pool }) => findCharts(pool, formatInstant(now()))),
)

async function findCharts(pool: pg.Pool, instant: string): Promise<WeeksFigures> {
  const main = await pool.query<{ today: string; desks: number }>(SELECT_MAIN_DAY, [instant])
  const { today, desks } = getOnlyRow(main.rows)
  const [days, hours] = await Promise.all([
    pool.query<DayRow>(SELECT_BOOKINGS_BY_DAY, [instant, today]),
    pool.query<HourRow>(SELECT_DESKS_BY_HOUR, [instant]),
  ])
  return { days: days.rows, today, hours: hours.rows, desks }
}

export async function showWeeks(call: Call): Promise<Html> {
  const { days, today: now, hours, desks } = await findWeeks(call.services)
  const total = days.reduce((sum, { number }) => sum + number, 0)
  if (total === 0 && desks === 0) return html``
  const busiest = hours.reduce((best, each) => (each.taken > best.taken ? each : best), { hour: 0, taken: 0 })
  return html`<div class="grid charts">
${showBarChart({
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
${showBarChart({
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
