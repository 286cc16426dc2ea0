// The charts and tables of a report, and the sums in them.
import { type Content, type Html, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatWeekday } from '../../pages/time/instants.ts'
import { formatBookableType, showBookableLink } from '../../pages/ui/bookables.ts'
import { barChart, figure, formatHour, shareBar } from '../../pages/ui/charts.ts'
import { type Column, card, formatNumber, showLinkOrText, table } from '../../pages/ui/parts.ts'
import { describePoints, describeRatio } from './comparison.ts'
import type { BookableFigures, Figures, FloorFigures, HourFigures } from './queries.ts'

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]
const FLOORS_MAX = 15
const HEIGHTS = [10, 25, 50, 100]

export const formatPercent = (percent: number) => `${Math.round(percent)} %`
export const formatHours = (minutes: number) => `${formatNumber(Math.round(minutes / 60))} h`

/** The next of a few heights, so that a chart of small figures does not look like one of large figures. */
export const heightFor = (percents: number[]) =>
  HEIGHTS.find((height) => height >= Math.max(...percents)) ?? 100

/** Each next to that of the days before, if anything could be booked then. */
export function showFigures(rows: FloorFigures[], rowsBefore: FloorFigures[], before = ''): Html {
  const [all, former] = [sumFigures(rows), sumFigures(rowsBefore)]
  const isKnown = former.available > 0
  const noShows = (of: Figures) => (of.bookings === 0 ? 0 : (100 * of.noShows) / of.bookings)
  return html`<div class="grid figures">
${figure(
  formatPercent(percentOf(all)),
  t`utilisation`,
  html`${isKnown && describePoints(percentOf(all), percentOf(former), before)}${shareOf(all)}`,
)}
${figure(
  formatNumber(all.bookings),
  plural(all.bookings, 'booking', 'bookings'),
  isKnown && describeRatio(all.bookings, former.bookings, before),
)}
${figure(
  formatNumber(all.noShows),
  describeNoShows(all),
  isKnown && describePoints(noShows(all), noShows(former), before),
)}</div>`
}

function describeNoShows({ bookings, noShows }: Figures): string {
  if (bookings === 0) return plural(noShows, 'no-show', 'no-shows')
  const share = formatPercent((100 * noShows) / bookings)
  return plural(noShows, 'no-show, {0} of bookings', 'no-shows, {0} of bookings', share)
}

/** Shows every day of the week, even if the rest of the report counts only some. */
export function weekdayCharts(rows: FloorFigures[]): Html {
  const groups = new Map(groupFigures(rows, ({ weekday }) => weekday).map((group) => [group.key, group]))
  const days = WEEKDAYS.map((weekday) => ({
    label: formatWeekday(weekday, 'long'),
    mark: formatWeekday(weekday, 'short'),
    figures: groups.get(weekday) ?? NO_FIGURES,
  }))
  const percents = days.map(({ figures }) => percentOf(figures))
  const busiest = days[percents.indexOf(Math.max(...percents))]
  const noShows = days.reduce((sum, { figures }) => sum + figures.noShows, 0)
  const bars = (figureOf: (figures: Figures) => number) =>
    days.map(({ label, mark, figures }) => ({ label, value: figureOf(figures), mark }))
  return html`${barChart({
    title: t`By weekday`,
    summary:
      busiest && percents.some(Boolean)
        ? t`Busiest on ${busiest.label}: ${formatPercent(percentOf(busiest.figures))} utilisation.`
        : t`Nothing was booked on these days.`,
    columns: [t`Weekday`, t`Utilisation`],
    bars: bars(percentOf),
    max: heightFor(percents),
    format: formatPercent,
  })}
${barChart({
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

export function hourChart(hours: HourFigures[]): Html {
  const percents = hours.map(percentOf)
  const busiest = percents.indexOf(Math.max(...percents))
  return barChart({
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
    max: heightFor(percents),
    format: formatPercent,
  })
}

export function typeTable(rows: FloorFigures[]): Html {
  const groups = groupFigures(rows, ({ type }) => type).sort((one, other) => one.key - other.key)
  const columns: Column<Group<number>>[] = [
    { label: t`Type`, show: ({ key }) => formatBookableType(key) },
    ...figureColumns(groups),
  ]
  return card(t`By type`, table(t`Utilisation by type`, columns, groups, t`No figures.`))
}

export function floorTable(call: Call, rows: FloorFigures[]): Html {
  const groups = groupFigures(rows, ({ locationId }) => locationId)
  const columns: Column<Group<number>>[] = [
    {
      label: t`Floor`,
      show: ({ key, rows: [row] }) =>
        html`${showLinkOrText(call.link(`/places/locations/${key}`), row?.location)}<br><small>${row?.building}</small>`,
    },
    ...figureColumns(groups),
  ]
  const more = groups.length - FLOORS_MAX
  return card(
    t`By floor`,
    html`${table(t`Utilisation by floor`, columns, groups.slice(0, FLOORS_MAX), t`No figures.`)}
${more > 0 && html`<p class="soft">${plural(more, '# more floor is in the files below.', '# more floors are in the files below.')}</p>`}`,
  )
}

export function bookablesTable(call: Call, title: string, rows: BookableFigures[], empty: string): Html {
  const columns: Column<BookableFigures>[] = [
    { label: t`Name`, show: (row) => showBookableLink(call, row) },
    { label: t`Floor`, show: ({ location, building }) => html`${location}<br><small>${building}</small>` },
    { label: t`Booked`, isNumber: true, show: ({ minutes }) => formatHours(minutes) },
    { label: t`Bookings`, isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    ...noShowColumn(rows),
  ]
  return card(title, table(title, columns, rows, empty))
}

function figureColumns<Row extends Figures>(rows: Row[]): Column<Row>[] {
  return [
    { label: t`Utilisation`, show: shareCell },
    { label: t`Booked`, isNumber: true, show: ({ booked }) => formatHours(booked) },
    { label: t`Bookings`, isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    ...noShowColumn(rows),
  ]
}

/** Leaves out columns that contain only zeros. */
function noShowColumn<Row extends Pick<Figures, 'noShows'>>(rows: Row[]): Column<Row>[] {
  if (rows.every(({ noShows }) => noShows === 0)) return []
  return [{ label: t`No-shows`, isNumber: true, show: ({ noShows }) => formatNumber(noShows) }]
}

function shareCell(figures: Figures): Content {
  if (figures.available === 0) return html`<span class="soft">–</span>`
  return html`<span class="share-words">${formatPercent(percentOf(figures))}</span>${shareOf(figures)}`
}

const shareOf = (figures: Figures) => shareBar(percentOf(figures) / 100)

const NO_FIGURES: Figures = { available: 0, booked: 0, bookings: 0, noShows: 0 }

export function sumFigures(rows: readonly Figures[]): Figures {
  return rows.reduce<Figures>(
    (sum, each) => ({
      available: sum.available + each.available,
      booked: sum.booked + each.booked,
      bookings: sum.bookings + each.bookings,
      noShows: sum.noShows + each.noShows,
    }),
    NO_FIGURES,
  )
}

export type Group<Key> = Figures & { key: Key; rows: FloorFigures[] }

export function groupFigures<Key>(rows: FloorFigures[], keyOf: (row: FloorFigures) => Key): Group<Key>[] {
  const groups = new Map<Key, FloorFigures[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups].map(([key, own]) => ({ key, rows: own, ...sumFigures(own) }))
}

/** In percent; zero if nothing could be booked. */
export function percentOf({ available, booked }: Pick<Figures, 'available' | 'booked'>): number {
  return available === 0 ? 0 : (100 * booked) / available
}
