// The monthly report: one printable page about all buildings or one building, compared with the previous
// month.
import type * as yup from 'yup'
import type { Report } from '../../../../shared/reports/reports.ts'
import { object, queryFlag, queryId } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { numberColumn, selectRow } from '../../../reads/rows/rows.ts'
import { currentLanguage, sentence, t } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { listBuildingChoices, showBuildingFilter } from '../../pages/search/choices.ts'
import { chooseZone } from '../../pages/search/day-search.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import { form, showFilterBar } from '../../pages/ui/forms.ts'
import { type Column, formatNumber, showCard, showLink, showTable } from '../../pages/ui/parts.ts'
import { computePercent, formatHours, formatPercent, showFigures, showHourChart } from './charts.ts'
import { groupByPlace, listMonthFigures, type PlaceFigures, showDayChart } from './monthly-figures.ts'
import {
  type BookableFigures,
  findLastCountedDays,
  hasFigures,
  listHourFigures,
  type ReportFigures,
  rankBookables,
} from './queries.ts'
import { type DayRange, resolveNamedRange } from './ranges.ts'
import { showIncompleteNotice, showNoFigures } from './reports.ts'

const OFFERED_MONTHS_MAX = 12
const SHOWN_PLACES_MAX = 12
const SHOWN_RANKS_MAX = 5

const query = object({
  /** Any day of the month. Defaults to a day of last month, or of this month if last month has no figures. */
  month: localDate(),
  building: queryId(),
})
type ReportCall = Call<unknown, yup.InferType<typeof query>>

export const monthlyReportPage = definePage({
  path: '/reports/month',
  title: sentence`Monthly report`,
  section: 'Reports',
  readers: 'front-desk',
  writers: 'front-desk',
  query,
  actions: (action) => ({
    mail: action(object({ mail: queryFlag() }), async (call) => {
      const { mail } = call.form
      const language = mail ? currentLanguage() : undefined
      await call.dispatch('admins.set-report-mail', { id: call.requireAdmin().id, language })
      const notice = mail
        ? t`You get the report by e-mail at the end of each month.`
        : t`You no longer get the report by e-mail.`
      return { redirectTo: call.linkHere(), notice }
    }),
  }),
  async show(call) {
    const buildings = await listBuildingChoices(call.reads)
    const building = buildings.find(({ id }) => id === call.query.building)
    const today = formatLocalDate(call.now, chooseZone(call.query.building, buildings))
    const latest = resolveNamedRange('last-month', today)
    const yesterday = addDaysToDate(today, -1)
    const newest = findMonth(yesterday)
    const hasLatest = await hasFigures(call.reads, latest, building?.id)
    const month = findMonth(call.query.month ?? (hasLatest ? latest : newest).first)
    const range = month.last > yesterday ? { ...month, last: yesterday } : month
    const offered = listMonths(newest, month)
    return {
      title: t`Report for ${formatDate(range.first, 'month')}`,
      lead: building?.name ?? t`All buildings`,
      breadcrumbs: [[t`Reports`, '/reports']],
      tools: html`<button type="button" class="button primary" data-print hidden>${t`Print`}</button>`,
      content: html`${showFilterBar(
        call,
        (fields) => [
          fields.select('month', t`Month`, { required: true, options: offered, value: range.first }),
          showBuildingFilter(fields, buildings, t`All`),
        ],
        null,
        t`Show`,
      )}
${range.first > range.last ? showNoFigures() : await showMonth(call, range)}${await showMailing(call)}`,
    }
  },
})

/** Returns the month that contains a day. */
function findMonth(day: string): DayRange {
  const first = `${day.slice(0, 7)}-01`
  return { first, last: addDaysToDate(`${addDaysToDate(first, 31).slice(0, 7)}-01`, -1) }
}

const findPreviousMonth = ({ first }: DayRange): DayRange => findMonth(addDaysToDate(first, -1))

/** Returns the previous month. If the given month is the current one, returns only the same number of days of
 * the previous month. */
function findPreviousDays(range: DayRange): DayRange {
  const before = findPreviousMonth(range)
  if (range.last === findMonth(range.first).last) return before
  const last = `${before.first.slice(0, 7)}${range.last.slice(7)}`
  return last < before.last ? { ...before, last } : before
}

/** Lists the latest months first. Always includes the month that is shown. */
function listMonths(latest: DayRange, shown: DayRange) {
  const months = [latest]
  while (months.length < OFFERED_MONTHS_MAX) months.push(findPreviousMonth(months.at(-1) ?? latest))
  if (!months.some(({ first }) => first === shown.first)) months.push(shown)
  return months.map(({ first }) => ({ value: first, label: formatDate(first, 'month') }))
}

async function showMonth(call: ReportCall, range: DayRange): Promise<Html> {
  const { reads } = call
  const { lastDay, summed } = await findLastCountedDays(reads, call.query.building)
  const reportOf = ({ first, last }: DayRange): Report => ({
    first_day: first,
    last_day: last,
    building_id: call.query.building,
    type: undefined,
    from_hour: 8,
    to_hour: 18,
    weekdays_only: true,
  })
  const [before, report] = [findPreviousDays(range), { ...reportOf(range), summed }]
  const isOver = range.last === findMonth(range.first).last
  const month = formatDate(before.first, 'month-name')
  const [figures, former, hours, { busiest, idlest }] = await Promise.all([
    listMonthFigures(reads, report),
    listMonthFigures(reads, { ...reportOf(before), summed }),
    listHourFigures(reads, report),
    rankBookables(reads, report),
  ])
  const notice = showIncompleteNotice(lastDay, range)
  if (figures.floors.length === 0) return html`${notice}${showNoFigures()}`
  const places = groupByPlace(figures.floors, former.floors, SHOWN_PLACES_MAX)
  const days = call.link('/reports', { from: range.first, to: range.last, building: call.query.building })
  return html`<div class="report">${notice}
${!isOver && html`<p class="soft">${t`This month is not over yet. These are the figures up to ${formatDate(range.last, 'long')}.`}</p>`}
${showFigures(figures.floors, former.floors, isOver ? t`in ${month}` : t`on the same days of ${month}`)}
<div class="grid charts">${showDayChart(figures.days, range)}${showHourChart(hours)}</div>
${showPlaceTable(places, before)}
<div class="grid charts">${showRankTable(t`Most used`, busiest)}${busiest.length > 0 && showRankTable(t`Least used`, idlest)}</div>
<p class="soft">${t`Utilisation is the share of the time from 8:00 to 18:00, Monday to Friday, that was booked. A no-show is a booking that was released because nobody checked in.`}
${showLink(days, t`All figures for these days`)}</p></div>`
}

/** Shows whether the report is mailed. Mails link to this part of the page with #mail. */
async function showMailing(call: ReportCall): Promise<Html> {
  const { id } = call.requireAdmin()
  const found = await selectRow(
    call.reads,
    { id: numberColumn('admin_id') },
    'monthly_report_mails WHERE admin_id = $1',
    [id],
  )
  const offer = call.services.config.mail
    ? form(call, { action: 'mail', submit: t`Save`, tone: 'quiet' }, (fields) =>
        fields.checkbox('mail', t`E-mail me this report every month`, {
          checked: found !== undefined,
          hint: t`Sent when the figures for a month are complete: on the first of the next month, or shortly after.`,
        }),
      )
    : html`<p class="soft">${t`E-mail is not set up here, so Berth cannot send the report (SMTP_URL).`}</p>`
  return html`<div class="mailing">${showCard(t`By e-mail`, offer, 'mail')}</div>`
}

function showPlaceTable(
  { rows, more, areBuildings }: ReturnType<typeof groupByPlace>,
  before: DayRange,
): Html {
  const share = (figures: ReportFigures): Content =>
    figures.available === 0 ? html`<span class="soft">–</span>` : formatPercent(computePercent(figures))
  const columns: Column<PlaceFigures>[] = [
    {
      label: areBuildings ? t`Building` : t`Floor`,
      show: ({ name, within }) => html`${name} <small>${within}</small>`,
    },
    { label: t`Utilisation`, isNumber: true, show: share },
    { label: formatDate(before.first, 'month-name'), isNumber: true, show: ({ former }) => share(former) },
    { label: t`Booked`, isNumber: true, show: ({ booked }) => formatHours(booked) },
    { label: t`Bookings`, isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    { label: t`No-shows`, isNumber: true, show: ({ noShows }) => formatNumber(noShows) },
  ]
  const title = areBuildings ? t`By building` : t`By floor`
  return showCard(
    title,
    html`${showTable(title, columns, rows, t`No figures.`)}
${more > 0 && html`<p class="soft">${t`And ${formatNumber(more)} more.`}</p>`}`,
  )
}

function showRankTable(title: string, ranked: BookableFigures[]): Html {
  const columns: Column<BookableFigures>[] = [
    { label: t`Name`, show: ({ bookable, location }) => html`${bookable} <small>${location}</small>` },
    { label: t`Booked`, isNumber: true, show: ({ minutes }) => formatHours(minutes) },
  ]
  return showCard(
    title,
    showTable(title, columns, ranked.slice(0, SHOWN_RANKS_MAX), t`Nothing was booked on these days.`),
  )
}
