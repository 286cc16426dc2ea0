// The figures of a month: by floor or building, next to the figures of the previous month, and day by day.
import type pg from 'pg'
import { placeSql } from '../../../../shared/reports/conditions.ts'
import { hoursSql, PERIODS } from '../../../../shared/reports/figures.ts'
import type { ReportDays } from '../../../../shared/reports/periods.ts'
import type { Report } from '../../../../shared/reports/reports.ts'
import type { Html } from '../../../html/html.ts'
import { numberColumn, selectRows, textColumn } from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import { showBarChart } from '../../pages/ui/charts.ts'
import { chooseChartHeight, computePercent, formatPercent, groupFigures, sumFigures } from './charts.ts'
import { type FloorFigures, listFloorFigures, type ReportFigures } from './queries.ts'
import type { DayRange } from './ranges.ts'

const LAST_WEEKDAY = 5

const DAY_COLUMNS = {
  day: textColumn("to_char(first_day, 'YYYY-MM-DD')"),
  available: numberColumn('available'),
  booked: numberColumn('booked'),
}
type DayFigures = Pick<ReportFigures, 'available' | 'booked'> & { day: string }

export async function listMonthFigures(reads: pg.Pool, report: Report & ReportDays) {
  const [floors, days] = await Promise.all([listFloorFigures(reads, report), listDays(reads, report)])
  return { floors: floors.filter(({ weekday }) => weekday <= LAST_WEEKDAY), days }
}

function listDays(reads: pg.Pool, report: Report): Promise<DayFigures[]> {
  const sum = (figure: 'available' | 'booked') =>
    `sum(${hoursSql(figure, report.from_hour, report.to_hour)})::float8 AS ${figure}`
  return selectRows(
    reads,
    DAY_COLUMNS,
    `(SELECT first_day, ${sum('available')}, ${sum('booked')}
      FROM location_figures JOIN locations ON locations.id = location_id
      WHERE period = ${PERIODS.day} AND first_day BETWEEN $1 AND $2 AND ${placeSql(report)}
      GROUP BY first_day) AS days ORDER BY first_day`,
    [report.first_day, report.last_day],
  )
}

export function showDayChart(days: DayFigures[], { first, last }: DayRange): Html {
  const known = new Map(days.map((each) => [each.day, computePercent(each)]))
  const dates = Array.from({ length: Number(last.slice(8)) }, (_, index) => addDaysToDate(first, index))
  const percents = dates.map((date) => known.get(date) ?? 0)
  const busiest = dates[percents.indexOf(Math.max(...percents))] ?? first
  return showBarChart({
    title: t`By day`,
    summary: percents.some(Boolean)
      ? t`Busiest on ${formatDate(busiest, 'weekday')}: ${formatPercent(known.get(busiest) ?? 0)} utilisation.`
      : t`Nothing was booked on these days.`,
    columns: [t`Day`, t`Utilisation`],
    bars: dates.map((date, index) => ({
      label: formatDate(date, 'weekday'),
      value: percents[index] ?? 0,
      ...(new Date(date).getUTCDay() === 1 ? { mark: formatDate(date, 'short') } : {}),
    })),
    max: chooseChartHeight(percents),
    format: formatPercent,
  })
}

export type PlaceFigures = ReportFigures & { name: string; within: string; former: ReportFigures }

/** Returns figures by floor, or by building if there are more floors than can be shown. */
export function groupByPlace(floors: FloorFigures[], former: FloorFigures[], shown: number) {
  const byFloor = groupFigures(floors, ({ locationId }) => locationId)
  const isOneBuilding = new Set(floors.map(({ buildingId }) => buildingId)).size === 1
  const areBuildings = byFloor.length > shown && !isOneBuilding
  const keyOf = ({ locationId, buildingId }: FloorFigures) => (areBuildings ? buildingId : locationId)
  const groups = areBuildings ? groupFigures(floors, keyOf) : byFloor
  const rows = groups.slice(0, shown).map(({ key, rows: [row], ...figures }) => ({
    ...figures,
    name: (areBuildings ? row?.building : row?.location) ?? '',
    within: areBuildings || isOneBuilding ? '' : (row?.building ?? ''),
    former: sumFigures(former.filter((each) => keyOf(each) === key)),
  }))
  return { rows, more: groups.length - rows.length, areBuildings }
}
