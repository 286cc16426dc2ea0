// The charts and tables of a report, and the sums that they contain.
import { type Content, type Html, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatWeekday } from '../../pages/time/instants.ts'
import { formatBookableType, showBookableLink } from '../../pages/ui/bookables.ts'
import { formatHour, showBarChart, showFigureCard, showShareBar } from '../../pages/ui/charts.ts'
import { type Column, formatNumber, showCard, showLinkOrText, showTable } from '../../pages/ui/parts.ts'
import { compareNumbers, comparePercentages } from './comparison.ts'
import type { BookableFigures, FloorFigures, HourFigures, ReportFigures } from './queries.ts'

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]
const SHOWN_FLOORS_MAX = 15
const CHART_HEIGHTS = [10, 25, 50, 100]

export const formatPercent = (percent: number) => `${Math.round(percent)} %`
export const formatHours = (minutes: number) => `${formatNumber(Math.round(minutes / 60))} h`

/** Returns the height of a chart, which is one of a few heights, so that a chart of small figures does not
 * look like a chart of large figures. */
export const chooseChartHeight = (percents: number[]) =>
  CHART_HEIGHTS.find((height) => height >= Math.max(...percents)) ?? 100

/** Shows each figure next to the figure of the earlier period, if anything could be booked in that period. */
export function showFigures(rows: FloorFigures[], rowsBefore: FloorFigures[], before = ''): Html {
  const [all, former] = [sumFigures(rows), sumFigures(rowsBefore)]
  const isKnown = former.available > 0
  const noShows = (of: ReportFigures) => (of.bookings === 0 ? 0 : (100 * of.noShows) / of.bookings)
  return html`<div class="grid figures">
${showFigureCard(
  formatPercent(computePercent(all)),
  t`utilisation`,
  html`${isKnown && comparePercentages(computePercent(all), computePercent(former), before)}${showShare(all)}`,
)}
${showFigureCard(
  formatNumber(all.bookings),
  plural(all.bookings, 'booking', 'bookings'),
  isKnown && compareNumbers(all.bookings, former.bookings, before),
)}
${showFigureCard(
  formatNumber(all.noShows),
  describeNoShows(all),
  isKnown && comparePercentages(noShows(all), noShows(former), before),
)}</div>`
}

function describeNoShows({ bookings, noShows }: ReportFigures): string {
  if (bookings === 0) return plural(noShows, 'no-show', 'no-shows')
  const share = formatPercent((100 * noShows) / bookings)
  return plural(noShows, 'no-show, {0} of bookings', 'no-shows, {0} of bookings', share)
}

/** Shows a chart for every day of the week, even if the rest of the report counts only some days. */
export function showWeekdayCharts(rows: FloorFigures[]): Html {
  const groups = new Map(groupFigures(rows, ({ weekday }) => weekday).map((group) => [group.key, group]))
  const days = WEEKDAYS.map((weekday) => ({
    label: formatWeekday(weekday, 'long'),
    mark: formatWeekday(weekday, 'short'),
    figures: groups.get(weekday) ?? NO_FIGURES,
  }))
  const percents = days.map(({ figures }) => computePercent(figures))
  const busiest = days[percents.indexOf(Math.max(...percents))]
  const noShows = days.reduce((sum, { figures }) => sum + figures.noShows, 0)
  const bars = (figureOf: (figures: ReportFigures) => number) =>
    days.map(({ label, mark, figures }) => ({ label, value: figureOf(figures), mark }))
  return html`${showBarChart({
    title: t`By weekday`,
    summary:
      busiest && percents.some(Boolean)
        ? t`Busiest on ${busiest.label}: ${formatPercent(computePercent(busiest.figures))} utilisation.`
        : t`Nothing was booked on these days.`,
    columns: [t`Weekday`, t`Utilisation`],
    bars: bars(computePercent),
    max: chooseChartHeight(percents),
    format: formatPercent,
  })}
${showBarChart({
  title: t`No-shows by weekday`,
  summary:
    noShows === 0
      ? t`No booking was released: nobody missed a check-in.`
      : plural(
          noShows,
          '# booking was released because nobody checked in.',
          '# bookings were released because nobody checked in.',
        ),
  columns: [t`Weekday`, t`No-shows`],
  bars: bars((figures) => figures.noShows),
  format: formatNumber,
})}`
}

export function showHourChart(hours: HourFigures[]): Html {
  const percents = hours.map(computePercent)
  const busiest = percents.indexOf(Math.max(...percents))
  return showBarChart({
    title: t`By hour`,
    summary: percents.some(Boolean)
      ? t`Busiest at ${formatHour(busiest)}: ${formatPercent(percents[busiest] ?? 0)} utilisation.`
      : t`Nothing was booked on these days.`,
    columns: [t`Hour`, t`Utilisation`],
    bars: percents.map((value, hour) => ({
      label: formatHour(hour),
      value,
      ...(hour % 6 === 0 && hour > 0 ? { mark: formatHour(hour) } : {}),
    })),
    max: chooseChartHeight(percents),
    format: formatPercent,
  })
}

export function showTypeTable(rows: FloorFigures[]): Html {
  const groups = groupFigures(rows, ({ type }) => type).sort((one, other) => one.key - other.key)
  const columns: Column<FigureGroup<number>>[] = [
    { label: t`Type`, show: ({ key }) => formatBookableType(key) },
    ...createFigureColumns(groups),
  ]
  return showCard(t`By type`, showTable(t`Utilisation by type`, columns, groups, t`No figures.`))
}

export function showFloorTable(call: Call, rows: FloorFigures[]): Html {
  const groups = groupFigures(rows, ({ locationId }) => locationId)
  const columns: Column<FigureGroup<number>>[] = [
    {
      label: t`Floor`,
      show: ({ key, rows: [row] }) =>
        html`${showLinkOrText(call.link(`/places/locations/${key}`), row?.location)}<br><small>${row?.building}</small>`,
    },
    ...createFigureColumns(groups),
  ]
  const more = groups.length - SHOWN_FLOORS_MAX
  return showCard(
    t`By floor`,
    html`${showTable(t`Utilisation by floor`, columns, groups.slice(0, SHOWN_FLOORS_MAX), t`No figures.`)}
${more > 0 && html`<p class="soft">${plural(more, '# more floor is in the files below.', '# more floors are in the files below.')}</p>`}`,
  )
}

export function showBookablesTable(call: Call, title: string, rows: BookableFigures[], empty: string): Html {
  const columns: Column<BookableFigures>[] = [
    { label: t`Name`, show: (row) => showBookableLink(call, row) },
    { label: t`Floor`, show: ({ location, building }) => html`${location}<br><small>${building}</small>` },
    { label: t`Booked`, isNumber: true, show: ({ minutes }) => formatHours(minutes) },
    { label: t`Bookings`, isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    ...createNoShowColumns(rows),
  ]
  return showCard(title, showTable(title, columns, rows, empty))
}

function createFigureColumns<Row extends ReportFigures>(rows: Row[]): Column<Row>[] {
  return [
    { label: t`Utilisation`, show: showShareCell },
    { label: t`Booked`, isNumber: true, show: ({ booked }) => formatHours(booked) },
    { label: t`Bookings`, isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    ...createNoShowColumns(rows),
  ]
}

/** Returns the column of no-shows, or no column if all of its figures are zero. */
function createNoShowColumns<Row extends Pick<ReportFigures, 'noShows'>>(rows: Row[]): Column<Row>[] {
  if (rows.every(({ noShows }) => noShows === 0)) return []
  return [{ label: t`No-shows`, isNumber: true, show: ({ noShows }) => formatNumber(noShows) }]
}

function showShareCell(figures: ReportFigures): Content {
  if (figures.available === 0) return html`<span class="soft">–</span>`
  return html`<span class="share-words">${formatPercent(computePercent(figures))}</span>${showShare(figures)}`
}

const showShare = (figures: ReportFigures) => showShareBar(computePercent(figures) / 100)

const NO_FIGURES: ReportFigures = { available: 0, booked: 0, bookings: 0, noShows: 0 }

export function sumFigures(rows: readonly ReportFigures[]): ReportFigures {
  return rows.reduce<ReportFigures>(
    (sum, each) => ({
      available: sum.available + each.available,
      booked: sum.booked + each.booked,
      bookings: sum.bookings + each.bookings,
      noShows: sum.noShows + each.noShows,
    }),
    NO_FIGURES,
  )
}

export type FigureGroup<Key> = ReportFigures & { key: Key; rows: FloorFigures[] }

export function groupFigures<Key>(
  rows: FloorFigures[],
  keyOf: (row: FloorFigures) => Key,
): FigureGroup<Key>[] {
  const groups = new Map<Key, FloorFigures[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups].map(([key, own]) => ({ key, rows: own, ...sumFigures(own) }))
}

/** Returns the occupancy in percent, or zero if nothing could be booked. */
export function computePercent({ available, booked }: Pick<ReportFigures, 'available' | 'booked'>): number {
  return available === 0 ? 0 : (100 * booked) / available
}
