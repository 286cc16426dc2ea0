// The Reports page: how desks, rooms and parking spots are used, and no-shows, from daily figures that name nobody.
import type * as yup from 'yup'
import type { Report, ReportFile } from '../../../../shared/reports/reports.ts'
import { object, queryId } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { startExport } from '../../pages/page/downloads.ts'
import { type Call, definePage, type PageView } from '../../pages/page/page.ts'
import {
  type BuildingChoice,
  EXCLUSIVE_TYPES,
  listBuildingChoices,
  showBuildingFilter,
  showTypeFilter,
} from '../../pages/search/choices.ts'
import { chooseZone } from '../../pages/search/day-search.ts'
import { localDate } from '../../pages/time/fields.ts'
import { formatDate } from '../../pages/time/instants.ts'
import { typeChoice } from '../../pages/ui/bookables.ts'
import { choices, type Fields } from '../../pages/ui/fields.ts'
import { showFilterBar } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { showLink } from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import { showTabs } from '../../pages/ui/tabs.ts'
import {
  showBookablesTable,
  showFigures,
  showFloorTable,
  showHourChart,
  showTypeTable,
  showWeekdayCharts,
} from './charts.ts'
import { findLastCountedDays, listFloorFigures, listHourFigures, rankBookables } from './queries.ts'
import { type DayRange, findEarlierReportDays, findReportDays, REPORT_RANGE_CHOICES } from './ranges.ts'

const HOURS_OF_CHOICE = {
  '8-18': { from: 8, to: 18 },
  '7-20': { from: 7, to: 20 },
  all: { from: 0, to: 24 },
}
const HOUR_CHOICES = choices(
  ['8-18', sentence`8:00 to 18:00`],
  ['7-20', sentence`7:00 to 20:00`],
  ['all', sentence`All day`],
)
const DAY_CHOICES = choices(['weekdays', sentence`Monday to Friday`], ['all', sentence`Every day`])

const query = object({
  range: REPORT_RANGE_CHOICES.rule().default('last-week'),
  from: localDate(),
  to: localDate(),
  building: queryId(),
  type: typeChoice(),
  hours: HOUR_CHOICES.rule().default('8-18'),
  days: DAY_CHOICES.rule().default('weekdays'),
})
type ReportCall = Call<unknown, yup.InferType<typeof query>>

export const reportsPage = definePage({
  path: '/reports',
  title: sentence`Reports`,
  section: 'Reports',
  readers: 'front-desk',
  writers: 'front-desk',
  query,
  downloads: {
    'floors-csv': (call) => startReportDownload(call, 'floors', 'csv'),
    'floors-xlsx': (call) => startReportDownload(call, 'floors', 'xlsx'),
    'bookables-csv': (call) => startReportDownload(call, 'bookables', 'csv'),
    'bookables-xlsx': (call) => startReportDownload(call, 'bookables', 'xlsx'),
  },
  async show(call) {
    const buildings = await listBuildingChoices(call.reads)
    const range = findReportDays(call.query, findToday(call, buildings))
    return {
      lead: describeRange(range),
      tools: html`${showLink(call.link('/reports/came', { building: call.query.building }), t`Who came`, { class: 'button quiet' })}
${showLink(call.link('/reports/month', { building: call.query.building }), t`Monthly report`, { class: 'button quiet' })}
${showMoreMenu(createFileItems(call))}`,
      content: html`${showSearch(call, buildings, range)}
${range ? await showReport(call, range) : showEmptyState(t`These days are not over yet.`)}`,
    } satisfies PageView
  },
})

const findToday = ({ query, now }: ReportCall, buildings: BuildingChoice[]): string =>
  formatLocalDate(now, chooseZone(query.building, buildings))

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

function showRangeTabs(call: ReportCall): Html {
  const { range, from, to } = call.query
  const items = REPORT_RANGE_CHOICES.options().map(({ value, label }) => ({
    label,
    address: call.linkHere({ range: value, from: null, to: null }),
    isCurrent: value === range && from === undefined && to === undefined,
  }))
  return showTabs(t`Days`, items)
}

function showSearch(call: ReportCall, buildings: BuildingChoice[], range: DayRange | undefined): Html {
  const { from = range?.first, to = range?.last } = call.query
  const required = true
  const fieldsOf = (fields: Fields) => [
    fields.text('from', t`First day`, { type: 'date', value: from }),
    fields.text('to', t`Last day`, { type: 'date', value: to }),
    showBuildingFilter(fields, buildings, t`All`),
    showTypeFilter(fields, EXCLUSIVE_TYPES),
    fields.select('hours', t`Hours`, { required, options: HOUR_CHOICES.options() }),
    fields.select('days', t`Days`, { required, options: DAY_CHOICES.options() }),
  ]
  return showFilterBar(call, fieldsOf, showRangeTabs(call), t`Show`)
}

async function showReport(call: ReportCall, range: DayRange): Promise<Html> {
  const { reads } = call
  const { lastDay, summed } = await findLastCountedDays(reads, call.query.building)
  const report = { ...toReport(call, range), summed }
  const before = findEarlierReportDays(call.query, range)
  const [floors, former, hours, { busiest, idlest }] = await Promise.all([
    listFloorFigures(reads, report),
    before ? listFloorFigures(reads, { ...toReport(call, before), summed }) : [],
    listHourFigures(reads, report),
    rankBookables(reads, report),
  ])
  const notice = showIncompleteNotice(lastDay, range)
  if (floors.length === 0) return html`${notice}${showNoFigures()}`
  const count = (rows: typeof floors) =>
    report.weekdays_only ? rows.filter(({ weekday }) => weekday <= 5) : rows
  const counted = count(floors)
  return html`${notice}${showFigures(counted, count(former), before?.words)}
<p class="soft">${explainFigures(call)}</p>
<div class="grid charts">${showWeekdayCharts(floors)}${showHourChart(hours)}</div>
${showTypeTable(counted)}${showFloorTable(call, counted)}
<div class="grid charts">${showBookablesTable(call, t`Busiest`, busiest, t`Nothing was booked on these days.`)}
${showBookablesTable(call, t`Least used`, idlest, t`There is nothing here that everyone can book.`)}</div>`
}

const createFileItems = (call: ReportCall): Content[] =>
  (['csv', 'xlsx'] as const).flatMap((format) => [
    showLink(call.download(`floors-${format}`), t`Export days and floors as ${format}`, { download: true }),
    showLink(call.download(`bookables-${format}`), t`Export desks, rooms and parking as ${format}`, {
      download: true,
    }),
  ])

function explainFigures({ query }: ReportCall): string {
  const hours =
    query.hours === 'all'
      ? t`all day`
      : t`from ${HOUR_CHOICES.options().find(({ value }) => value === query.hours)?.label ?? ''}`
  const days = query.days === 'all' ? t`every day` : t`Monday to Friday`
  return t`Utilisation is the share of the time that was booked, ${hours}, ${days}. Blocked, assigned and closed time is included. A no-show is a booking that was released because nobody checked in. “Busiest” and “Least used” compare all booked hours, at any time and on any day.`
}

/** Says if figures are incomplete. Figures are minutes or hours late if upkeep was down, or has years of
 * bookings to process. */
export function showIncompleteNotice(lastCountedDay: string | null, { last }: DayRange): Content {
  if (lastCountedDay === null || lastCountedDay >= last) return null
  return showNotice(
    'warn',
    t`Figures are complete up to ${formatDate(lastCountedDay, 'long')}. Later days are still being counted.`,
  )
}

export function showNoFigures(): Html {
  return showEmptyState(
    t`No figures for these days.`,
    t`The figures for a day are available one hour after the day ends.`,
  )
}

function toReport({ query }: ReportCall, { first, last }: DayRange): Report {
  const { from, to } = HOURS_OF_CHOICE[query.hours]
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

async function startReportDownload(call: ReportCall, of: ReportFile, format: ExportFormat) {
  const today = findToday(call, await listBuildingChoices(call.reads))
  // If no day of the range is over yet, the exported file contains no days.
  const range = findReportDays(call.query, today) ?? { first: today, last: today }
  const input = { ...toReport(call, range), format, of }
  return startExport(call, `${of}-${range.first}-to-${range.last}`, 'reports.export', input)
}
