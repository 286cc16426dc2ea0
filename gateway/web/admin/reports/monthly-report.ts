// The monthly report: one page to print, of all buildings or one, next to the month before.
import type * as yup from 'yup'
import type { Report } from '../../../../shared/reports/reports.ts'
import { object, queryFlag, queryId } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { number, selectRow } from '../../../reads/rows/rows.ts'
import { currentLanguage, sentence, t } from '../../locales/translate.ts'
import { type Call, page } from '../../pages/page/page.ts'
import { buildingFilter, listBuildingChoices } from '../../pages/search/choices.ts'
import { zoneOf } from '../../pages/search/day-search.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import { filterBar, form } from '../../pages/ui/forms.ts'
import { type Column, card, formatNumber, showLink, table } from '../../pages/ui/parts.ts'
import { formatHours, formatPercent, hourChart, percentOf, showFigures } from './charts.ts'
import { dayChart, listMonthFigures, type PlaceFigures, placesOf } from './monthly-figures.ts'
import {
  type BookableFigures,
  type Figures,
  findCounted,
  hasFigures,
  listHourFigures,
  rankBookables,
} from './queries.ts'
import { type DayRange, namedRange } from './ranges.ts'
import { noFigures, showIncompleteNotice } from './reports.ts'

const MONTHS_OFFERED = 12
const PLACES_SHOWN = 12
const RANKED_SHOWN = 5

const query = object({
  /** Any day of the month; defaults to last month, or to this month if last month has no figures. */
  month: localDate(),
  building: queryId(),
})
type ReportCall = Call<unknown, yup.InferType<typeof query>>

export const monthlyReport = page({
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
        ? t`You get the report by mail when a month is over.`
        : t`You get no more reports by mail.`
      return { redirectTo: call.linkHere(), notice }
    }),
  }),
  async show(call) {
    const buildings = await listBuildingChoices(call.reads)
    const building = buildings.find(({ id }) => id === call.query.building)
    const today = formatLocalDate(call.now, zoneOf(call.query.building, buildings))
    const latest = namedRange('last-month', today)
    const yesterday = addDaysToDate(today, -1)
    const newest = monthOf(yesterday)
    const hasLatest = await hasFigures(call.reads, latest, building?.id)
    const month = monthOf(call.query.month ?? (hasLatest ? latest : newest).first)
    const range = month.last > yesterday ? { ...month, last: yesterday } : month
    const offered = listMonths(newest, month)
    return {
      title: t`Report of ${formatDate(range.first, 'month')}`,
      lead: building?.name ?? t`All buildings`,
      breadcrumbs: [[t`Reports`, '/reports']],
      tools: html`<button type="button" class="button primary" data-print hidden>${t`Print`}</button>`,
      content: html`${filterBar(
        call,
        (fields) => [
          fields.select('month', t`Month`, { required: true, options: offered, value: range.first }),
          buildingFilter(fields, buildings, t`All`),
        ],
        null,
        t`Show`,
      )}
${range.first > range.last ? noFigures() : await showMonth(call, range)}${await showMailing(call)}`,
    }
  },
})

/** The month that contains a day. */
function monthOf(day: string): DayRange {
  const first = `${day.slice(0, 7)}-01`
  return { first, last: addDaysToDate(`${addDaysToDate(first, 31).slice(0, 7)}-01`, -1) }
}

const monthBefore = ({ first }: DayRange): DayRange => monthOf(addDaysToDate(first, -1))

/** The previous month; for the current month, the same number of days. */
function daysBefore(range: DayRange): DayRange {
  const before = monthBefore(range)
  if (range.last === monthOf(range.first).last) return before
  const last = `${before.first.slice(0, 7)}${range.last.slice(7)}`
  return last < before.last ? { ...before, last } : before
}

/** The latest months first; also the month shown if it is not among them. */
function listMonths(latest: DayRange, shown: DayRange) {
  const months = [latest]
  while (months.length < MONTHS_OFFERED) months.push(monthBefore(months.at(-1) ?? latest))
  if (!months.some(({ first }) => first === shown.first)) months.push(shown)
  return months.map(({ first }) => ({ value: first, label: formatDate(first, 'month') }))
}

async function showMonth(call: ReportCall, range: DayRange): Promise<Html> {
  const { reads } = call
  const { lastDay, summed } = await findCounted(reads, call.query.building)
  const reportOf = ({ first, last }: DayRange): Report => ({
    first_day: first,
    last_day: last,
    building_id: call.query.building,
    type: undefined,
    from_hour: 8,
    to_hour: 18,
    weekdays_only: true,
  })
  const [before, report] = [daysBefore(range), { ...reportOf(range), summed }]
  const isOver = range.last === monthOf(range.first).last
  const month = formatDate(before.first, 'month-name')
  const [figures, former, hours, { busiest, idlest }] = await Promise.all([
    listMonthFigures(reads, report),
    listMonthFigures(reads, { ...reportOf(before), summed }),
    listHourFigures(reads, report),
    rankBookables(reads, report),
  ])
  const notice = showIncompleteNotice(lastDay, range)
  if (figures.floors.length === 0) return html`${notice}${noFigures()}`
  const places = placesOf(figures.floors, former.floors, PLACES_SHOWN)
  const days = call.link('/reports', { from: range.first, to: range.last, building: call.query.building })
  return html`<div class="report">${notice}
${!isOver && html`<p class="soft">${t`This month is not over yet. These are the figures up to ${formatDate(range.last, 'long')}.`}</p>`}
${showFigures(figures.floors, former.floors, isOver ? t`in ${month}` : t`on the same days of ${month}`)}
<div class="grid charts">${dayChart(figures.days, range)}${hourChart(hours)}</div>
${placeTable(places, before)}
<div class="grid charts">${rankTable(t`Most used`, busiest)}${busiest.length > 0 && rankTable(t`Least used`, idlest)}</div>
<p class="soft">${t`Utilisation is the share of the time from 8:00 to 18:00, Monday to Friday, that was booked. A no-show is a booking that was released because nobody checked in.`}
${showLink(days, t`All figures for these days`)}</p></div>`
}

/** The address that mails contain ends in #mail. */
async function showMailing(call: ReportCall): Promise<Html> {
  const { id } = call.requireAdmin()
  const found = await selectRow(
    call.reads,
    { id: number('admin_id') },
    'monthly_report_mails WHERE admin_id = $1',
    [id],
  )
  const offer = call.services.config.mail
    ? form(call, { action: 'mail', submit: t`Save`, tone: 'quiet' }, (fields) =>
        fields.checkbox('mail', t`Mail me this report each month`, {
          checked: found !== undefined,
          hint: t`Sent when the figures for a month are complete: on the first of the next month, or a little later.`,
        }),
      )
    : html`<p class="soft">${t`Mail is not set up here, so Berth cannot send it (SMTP_URL).`}</p>`
  return html`<div class="mailing">${card(t`By mail`, offer, 'mail')}</div>`
}

function placeTable({ rows, more, areBuildings }: ReturnType<typeof placesOf>, before: DayRange): Html {
  const share = (figures: Figures): Content =>
    figures.available === 0 ? html`<span class="soft">–</span>` : formatPercent(percentOf(figures))
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
  return card(
    title,
    html`${table(title, columns, rows, t`No figures.`)}
${more > 0 && html`<p class="soft">${t`And ${formatNumber(more)} more.`}</p>`}`,
  )
}

function rankTable(title: string, ranked: BookableFigures[]): Html {
  const columns: Column<BookableFigures>[] = [
    { label: t`Name`, show: ({ bookable, location }) => html`${bookable} <small>${location}</small>` },
    { label: t`Booked`, isNumber: true, show: ({ minutes }) => formatHours(minutes) },
  ]
  return card(
    title,
    table(title, columns, ranked.slice(0, RANKED_SHOWN), t`Nothing was booked on these days.`),
  )
}
