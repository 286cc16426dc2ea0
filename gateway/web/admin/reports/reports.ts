// The Reports page: use of desks, rooms and parking, and no-shows, from daily figures that name nobody.
import type * as yup from 'yup'
import type { Report, ReportFile } from '../../../../shared/reports/reports.ts'
import { object, queryId } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { sentence, t, tHtml } from '../../locales/translate.ts'
import { exported } from '../../pages/page/downloads.ts'
import { type Call, page, type View } from '../../pages/page/page.ts'
import {
  type BuildingChoice,
  buildingFilter,
  EXCLUSIVE_TYPES,
  listBuildingChoices,
  typeFilter,
} from '../../pages/search/choices.ts'
import { zoneOf } from '../../pages/search/day-search.ts'
import { localDate } from '../../pages/time/fields.ts'
import { formatDate } from '../../pages/time/instants.ts'
import { typeChoice } from '../../pages/ui/bookables.ts'
import { choices, type Fields } from '../../pages/ui/fields.ts'
import { filterBar } from '../../pages/ui/forms.ts'
import { showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmpty, showNotice } from '../../pages/ui/states.ts'
import { tabs } from '../../pages/ui/tabs.ts'
import { bookablesTable, floorTable, hourChart, showFigures, typeTable, weekdayCharts } from './charts.ts'
import { findCounted, listFloorFigures, listHourFigures, rankBookables } from './queries.ts'
import { type DayRange, RANGES, rangeBefore, rangeOf } from './ranges.ts'

const HOURS = {
  '8-18': { from: 8, to: 18 },
  '7-20': { from: 7, to: 20 },
  all: { from: 0, to: 24 },
}
const HOUR_CHOICE = choices(
  ['8-18', sentence`8:00 to 18:00`],
  ['7-20', sentence`7:00 to 20:00`],
  ['all', sentence`All day`],
)
const DAY_CHOICE = choices(['weekdays', sentence`Monday to Friday`], ['all', sentence`Every day`])

const query = object({
  range: RANGES.rule().default('last-week'),
  from: localDate(),
  to: localDate(),
  building: queryId(),
  type: typeChoice(),
  hours: HOUR_CHOICE.rule().default('8-18'),
  days: DAY_CHOICE.rule().default('weekdays'),
})
type ReportCall = Call<unknown, yup.InferType<typeof query>>

export const reports = page({
  path: '/reports',
  title: sentence`Reports`,
  section: 'Reports',
  readers: 'front-desk',
  writers: 'front-desk',
  query,
  downloads: {
    'floors-csv': (call) => download(call, 'floors', 'csv'),
    'floors-xlsx': (call) => download(call, 'floors', 'xlsx'),
    'bookables-csv': (call) => download(call, 'bookables', 'csv'),
    'bookables-xlsx': (call) => download(call, 'bookables', 'xlsx'),
  },
  async show(call) {
    const buildings = await listBuildingChoices(call.reads)
    const range = rangeOf(call.query, todayOf(call, buildings))
    return {
      lead: describeRange(range),
      tools: showLink(call.link('/reports/month', { building: call.query.building }), t`Monthly report`, {
        class: 'button quiet',
      }),
      content: html`${search(call, buildings, range)}
${range ? await showReport(call, range) : showEmpty(t`These days are not over yet.`)}`,
    } satisfies View
  },
})

const todayOf = ({ query, now }: ReportCall, buildings: BuildingChoice[]): string =>
  formatLocalDate(now, zoneOf(query.building, buildings))

function describeRange(range: DayRange | undefined): string {
  const counted = t`Days are in the time zone of each building. Today counts once it is over.`
  if (!range) return counted
  const { first, last } = range
  const days =
    first === last
      ? formatDate(first, 'full')
      : t`${formatDate(first, 'long')} to ${formatDate(last, 'long')}`
  return `${days}. ${counted}`
}

function rangeTabs(call: ReportCall): Html {
  const { range, from, to } = call.query
  const items = RANGES.options().map(({ value, label }) => ({
    label,
    address: call.linkHere({ range: value, from: null, to: null }),
    isCurrent: value === range && from === undefined && to === undefined,
  }))
  return tabs(t`Days`, items)
}

function search(call: ReportCall, buildings: BuildingChoice[], range: DayRange | undefined): Html {
  const { from = range?.first, to = range?.last } = call.query
  const required = true
  const fieldsOf = (fields: Fields) => [
    fields.text('from', t`First day`, { type: 'date', value: from }),
    fields.text('to', t`Last day`, { type: 'date', value: to }),
    buildingFilter(fields, buildings, t`All`),
    typeFilter(fields, EXCLUSIVE_TYPES),
    fields.select('hours', t`Hours`, { required, options: HOUR_CHOICE.options() }),
    fields.select('days', t`Days`, { required, options: DAY_CHOICE.options() }),
  ]
  return filterBar(call, fieldsOf, rangeTabs(call), t`Show`)
}

async function showReport(call: ReportCall, range: DayRange): Promise<Html> {
  const { reads } = call
  const { lastDay, summed } = await findCounted(reads, call.query.building)
  const report = { ...reportOf(call, range), summed }
  const before = rangeBefore(call.query, range)
  const [floors, former, hours, { busiest, idlest }] = await Promise.all([
    listFloorFigures(reads, report),
    before ? listFloorFigures(reads, { ...reportOf(call, before), summed }) : [],
    listHourFigures(reads, report),
    rankBookables(reads, report),
  ])
  const notice = showIncompleteNotice(lastDay, range)
  if (floors.length === 0) return html`${notice}${noFigures()}`
  const count = (rows: typeof floors) =>
    report.weekdays_only ? rows.filter(({ weekday }) => weekday <= 5) : rows
  const counted = count(floors)
  return html`${notice}${showFigures(counted, count(former), before?.words)}
<p class="soft">${explain(call)}</p>
<div class="grid charts">${weekdayCharts(floors)}${hourChart(hours)}</div>
${typeTable(counted)}${floorTable(call, counted)}
${bookablesTable(call, t`Busiest`, busiest, t`Nothing was booked on these days.`)}
${bookablesTable(call, t`Least used`, idlest, t`There is nothing here that everyone can book.`)}
${files(call)}`
}

function files(call: ReportCall): Html {
  const file = (name: string, format: ExportFormat) =>
    showLinkOrText(call.download(`${name}-${format}`), format, { download: true })
  const [floorsCsv, floorsXlsx] = [file('floors', 'csv'), file('floors', 'xlsx')]
  const [sumsCsv, sumsXlsx] = [file('bookables', 'csv'), file('bookables', 'xlsx')]
  return html`<p class="soft files">${tHtml`Figures of each day and floor: ${floorsCsv}, ${floorsXlsx}.`}
${tHtml`Totals of each desk, room and parking spot: ${sumsCsv}, ${sumsXlsx}.`}</p>`
}

function explain({ query }: ReportCall): string {
  const hours =
    query.hours === 'all'
      ? t`all day`
      : t`from ${HOUR_CHOICE.options().find(({ value }) => value === query.hours)?.label ?? ''}`
  const days = query.days === 'all' ? t`every day` : t`Monday to Friday`
  return t`Utilisation is the share of the time that was booked, ${hours}, ${days}. Blocked, assigned and closed time is included. A no-show is a booking that was released because nobody checked in. “Busiest” and “Least used” compare all booked hours, at any time and on any day.`
}

/** Figures are minutes or hours late if upkeep was down, or has years of bookings to process. */
export function showIncompleteNotice(lastCountedDay: string | null, { last }: DayRange): Content {
  if (lastCountedDay === null || lastCountedDay >= last) return null
  return showNotice(
    'warn',
    t`Figures are complete up to ${formatDate(lastCountedDay, 'long')} so far. Later days are being counted.`,
  )
}

export function noFigures(): Html {
  return showEmpty(
    t`No figures for these days.`,
    t`The figures for a day are available one hour after the day ends.`,
  )
}

function reportOf({ query }: ReportCall, { first, last }: DayRange): Report {
  const { from, to } = HOURS[query.hours]
  return {
    first_day: first,
    last_day: last,
    building_id: query.building,
    type: query.type,
    from_hour: from,
    to_hour: to,
    weekdays_only: query.days === 'weekdays',
  }
}

async function download(call: ReportCall, of: ReportFile, format: ExportFormat) {
  const today = todayOf(call, await listBuildingChoices(call.reads))
  // If no day is over yet, the file has no days.
  const range = rangeOf(call.query, today) ?? { first: today, last: today }
  const input = { ...reportOf(call, range), format, of }
  return exported(call, `${of}-${range.first}-to-${range.last}`, 'reports.export', input)
}
