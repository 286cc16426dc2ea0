// The charts and tables of a report.
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { formatBookableType, showBookableLink } from '../ui/bookables.ts'
import { card } from '../ui/cards.ts'
import { barChart, shareBar } from '../ui/charts.ts'
import { type Column, table } from '../ui/tables.ts'
import { formatCount, formatNumber } from '../ui/words.ts'
import type { BookableFigures, Figures, FloorFigures, HourFigures } from './queries.ts'
import { type Group, groupFigures, NO_FIGURES, percentOf, sumFigures } from './sums.ts'

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const FLOORS_MAX = 60
const HEIGHTS = [10, 25, 50, 100]

export const formatPercent = (percent: number) => `${Math.round(percent)} %`
const formatHour = (hour: number) => `${String(hour).padStart(2, '0')}:00`
const formatHours = (minutes: number) => `${formatNumber(Math.round(minutes / 60))} h`

/** As high as the next of a few heights, so that a chart of little does not look like one of much. */
const heightFor = (percents: number[]) => HEIGHTS.find((height) => height >= Math.max(...percents)) ?? 100

export function showFigures(rows: FloorFigures[]): Html {
  const all = sumFigures(rows)
  return html`<div class="grid figures">
<div class="card figure"><strong>${formatPercent(percentOf(all))}</strong> <span>utilisation</span>${shareOf(all)}</div>
<div class="card figure"><strong>${formatNumber(all.bookings)}</strong> <span>${all.bookings === 1 ? 'booking' : 'bookings'}</span></div>
<div class="card figure"><strong>${formatNumber(all.noShows)}</strong> <span>${all.noShows === 1 ? 'no-show' : 'no-shows'}${
    all.bookings > 0 && `, ${formatPercent((100 * all.noShows) / all.bookings)} of bookings`
  }</span></div></div>`
}

/** Of every day of the week, whichever the rest of the report counts. */
export function weekdayCharts(rows: FloorFigures[]): Html {
  const groups = new Map(groupFigures(rows, ({ weekday }) => weekday).map((group) => [group.key, group]))
  const days = DAYS.map((label, index) => ({ label, figures: groups.get(index + 1) ?? NO_FIGURES }))
  const percents = days.map(({ figures }) => percentOf(figures))
  const busiest = days[percents.indexOf(Math.max(...percents))]
  const noShows = days.reduce((sum, { figures }) => sum + figures.noShows, 0)
  const bars = (figureOf: (figures: Figures) => number) =>
    days.map(({ label, figures }) => ({ label, value: figureOf(figures), mark: label.slice(0, 3) }))
  return html`${barChart({
    title: 'By weekday',
    summary: busiest
      ? `Busiest on ${busiest.label}: ${formatPercent(percentOf(busiest.figures))} utilisation.`
      : '',
    columns: ['Weekday', 'Utilisation'],
    bars: bars(percentOf),
    max: heightFor(percents),
    format: formatPercent,
  })}
${barChart({
  title: 'No-shows by weekday',
  summary: `${formatCount(noShows, 'booking was', 'bookings were')} released because nobody checked in.`,
  columns: ['Weekday', 'No-shows'],
  bars: bars((figures) => figures.noShows),
  format: formatNumber,
})}`
}

export function hourChart(hours: HourFigures[]): Html {
  const percents = hours.map(percentOf)
  const busiest = percents.indexOf(Math.max(...percents))
  return barChart({
    title: 'By hour',
    summary: `Busiest at ${formatHour(busiest)}: ${formatPercent(percents[busiest] ?? 0)} utilisation.`,
    columns: ['Hour', 'Utilisation'],
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
    { label: 'Type', isHead: true, show: ({ key }) => formatBookableType(key) },
    ...figureColumns<Group<number>>(),
  ]
  return card('By type', table('Utilisation by type', columns, groups, 'No figures.'))
}

export function floorTable(call: Call, rows: FloorFigures[]): Html {
  const groups = groupFigures(rows, ({ locationId }) => locationId)
  const columns: Column<Group<number>>[] = [
    {
      label: 'Floor',
      isHead: true,
      show: ({ key, rows: [row] }) =>
        html`<a href="${call.link(`/places/locations/${key}`)}">${row?.location}</a><br><small>${row?.building}</small>`,
    },
    ...figureColumns<Group<number>>(),
  ]
  const more = groups.length - FLOORS_MAX
  return card(
    'By floor',
    html`${table('Utilisation by floor', columns, groups.slice(0, FLOORS_MAX), 'No figures.')}
${more > 0 && html`<p class="soft">${formatCount(more, 'more floor is', 'more floors are')} in the files below.</p>`}`,
  )
}

export function bookablesTable(call: Call, title: string, rows: BookableFigures[], empty: string): Html {
  const columns: Column<BookableFigures>[] = [
    { label: 'Name', isHead: true, show: (row) => showBookableLink(call, row) },
    { label: 'Floor', show: ({ location, building }) => html`${location}<br><small>${building}</small>` },
    { label: 'Booked', isNumber: true, show: ({ minutes }) => formatHours(minutes) },
    { label: 'Bookings', isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    { label: 'No-shows', isNumber: true, show: ({ noShows }) => formatNumber(noShows) },
  ]
  return card(title, table(title, columns, rows, empty))
}

function figureColumns<Row extends Figures>(): Column<Row>[] {
  return [
    { label: 'Utilisation', show: shareCell },
    { label: 'Booked', isNumber: true, show: ({ booked }) => formatHours(booked) },
    { label: 'Bookings', isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    { label: 'No-shows', isNumber: true, show: ({ noShows }) => formatNumber(noShows) },
  ]
}

function shareCell(figures: Figures): Content {
  if (figures.available === 0) return html`<span class="soft">–</span>`
  return html`<span class="share-words">${formatPercent(percentOf(figures))}</span>${shareOf(figures)}`
}

const shareOf = ({ booked, available }: Figures) => shareBar({ taken: booked, total: available })
