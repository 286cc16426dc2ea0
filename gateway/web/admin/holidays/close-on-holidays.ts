// The page that closes buildings on the public holidays of a country or region. All holidays are saved in one
// write.
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { CLOSED_TIMES_MAX } from '../../../../shared/rules/closed-times.ts'
import {
  CLOSED_BUILDINGS_MAX,
  groupPlacesByTimes,
  type LocalClosedTime,
} from '../../../../shared/rules/closing-places.ts'
import {
  integer,
  list,
  object,
  queryId,
  queryNumber,
  required,
  text,
} from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { html } from '../../../html/html.ts'
import { currentLanguage, currentLocale, plural, sentence, t } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { formatDate } from '../../pages/time/instants.ts'
import type { Fields, Option } from '../../pages/ui/fields.ts'
import { form, showSearchForm } from '../../pages/ui/forms.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import * as affectedForm from '../affected-bookings/affected-bookings-form.ts'
import { listBookablesOfPlaces } from '../affected-bookings/affected-bookings-form.ts'
import { linkToBookingsOnDays } from '../rules/closed-bookings.ts'
import { type FoundHolidays, findHolidays, type Holiday } from './holidays.ts'
import { type BuildingToClose, listBuildingsToClose } from './queries.ts'

const OFFERED_YEARS = 3
const SATURDAY = 6
const CHECKBOXES_MAX = 20
// Matches a holiday in the format of formatHoliday.
const HOLIDAY_PATTERN = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}) (\d{4}-\d{2}-\d{2}T\d{2}:\d{2}) (.{1,255})$/
const DAY_MS = 24 * 3_600_000

const query = object({
  country: text({ max: 2 }),
  region: text({ max: 20 }),
  year: queryNumber(integer({ min: 1_000, max: 9_998 })),
  until: queryNumber(integer({ min: 1_000, max: 9_998 })),
})
type HolidaysCall = Call<unknown, typeof query.__outputType>

const closingForm = object({
  days: list(required(text({ max: 400 })), { max: CLOSED_TIMES_MAX }),
  buildings: list(required(queryId()), { max: CLOSED_BUILDINGS_MAX }),
}).shape(affectedForm.affectedBookingsFormFields)

export const closeOnHolidaysPage = definePage({
  path: '/places/holidays',
  title: sentence`Public holidays`,
  section: 'Places',
  query,
  actions: (action) => ({
    close: action(closingForm, async (call) => {
      const { days = [], buildings: ids = [] } = call.form
      if (days.length === 0) throw invalidFields({ days: [message`Choose at least one day.`] })
      if (ids.length === 0) throw invalidFields({ buildings: [message`Choose at least one building.`] })
      const input = { ids, closed: days.map(parseHoliday), ...affectedForm.readResolution(call) }
      const { data } = await call.dispatch('buildings.close', input)
      const notice =
        data.buildings === 0
          ? t`These buildings are closed on these days already.`
          : plural(
              data.buildings,
              'Closed # building on the chosen days.',
              'Closed # buildings on the chosen days.',
            )
      const more = data.buildings > 0 ? linkToBookingsWithin(days.map(parseHoliday), ids) : undefined
      return affectedForm.redirectAfterResolving(call, call.linkHere(), notice, more)
    }),
  }),
  async show(call) {
    const [zone, buildings] = await Promise.all([
      findCommonZone(call.reads),
      listBuildingsToClose(call.reads, CLOSED_BUILDINGS_MAX),
    ])
    const asked = listYears(call, zone)
    const { country, region, year, until } = call.query
    const found = await findHolidays({ country, region, years: asked, language: currentLanguage(), zone })
    const today = formatLocalDate(call.now, zone)
    const left = found.holidays.filter(({ from }) => from.slice(0, 10) > today).slice(0, CLOSED_TIMES_MAX)
    // Defaults to next year's holidays if this year has none left.
    const years = (year ?? until) ? asked : [parseYear(left[0]?.from ?? today)]
    const holidays = left.filter(({ from }) => years.includes(parseYear(from)))
    return {
      breadcrumbs: [[t`Places`, '/places']],
      lead: t`Closes buildings on these days, so that nobody can book there. Home offices stay open.`,
      content: html`<div class="search">${showSearch(call, found, years, zone)}</div>
${found.country === undefined ? showEmptyState(t`Choose a country to see its public holidays.`) : await showClosing(call, holidays, buildings, found.zones)}`,
    }
  },
})

/** Returns the requested years, if they are offered. Defaults to this year and the next. */
function listYears({ query: { year, until }, now }: HolidaysCall, zone: string): number[] {
  const present = Number(formatLocalDate(now, zone).slice(0, 4))
  const first = Math.min(Math.max(year ?? present, present), present + OFFERED_YEARS - 1)
  const last = Math.min(Math.max(until ?? year ?? present + 1, first), present + OFFERED_YEARS - 1)
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

function showSearch(
  call: HolidaysCall,
  { countries, country, regions }: FoundHolidays,
  years: number[],
  zone: string,
) {
  const names = new Intl.DisplayNames(currentLocale(), { type: 'region' })
  const countryOptions = countries
    .map((code) => ({ value: code, label: names.of(code) ?? code }))
    .sort((one, other) => one.label.localeCompare(other.label, currentLocale()))
  const present = Number(formatLocalDate(call.now, zone).slice(0, 4))
  const offered = Array.from({ length: OFFERED_YEARS }, (_, at) => ({
    value: present + at,
    label: String(present + at),
  }))
  return showSearchForm(call, t`Show`, (fields) => [
    fields.select('country', t`Country`, {
      any: t`Choose a country`,
      options: countryOptions,
      value: country,
      required: true,
    }),
    regions.length > 0 &&
      fields.select('region', t`Region`, {
        any: t`The whole country`,
        options: regions.map(({ code, name }) => ({ value: code, label: name })),
        value: call.query.region,
        required: true,
      }),
    fields.select('year', t`Year`, { options: offered, value: years[0], required: true }),
    fields.select('until', t`Through`, { options: offered, value: years.at(-1), required: true }),
  ])
}

async function showClosing(
  call: HolidaysCall,
  holidays: Holiday[],
  buildings: BuildingToClose[],
  zones: string[],
) {
  if (holidays.length === 0) return showEmptyState(t`No public holidays are known for this choice.`)
  if (buildings.length === 0) return showEmptyState(t`There are no buildings yet.`)
  const question = await askAboutBookings(call, buildings)
  const options = { action: 'close', submit: t`Close on these days`, cancel: call.link('/places') }
  return html`<div class="card narrow">${form(call, options, (fields) => [
    fields.checkboxes('days', t`Closed on`, {
      hint: t`Working days are already selected; weekends, half days and bank holidays are not.`,
      options: holidays.map(toOption),
      values: holidays.filter(isWorkingDay).map(formatHoliday),
    }),
    showBuildings(fields, buildings, zones),
    question?.(fields),
  ])}</div>
<p class="soft">${t`Holidays come from date-holidays (CC BY-SA 3.0). Check them against the official list.`}</p>`
}

/** Shows the buildings with a checkbox. Buildings in the country's time zones are checked, or all buildings
 * if none is in one of these zones. */
function showBuildings(fields: Fields, buildings: BuildingToClose[], zones: string[]) {
  const options = buildings.map(({ id, name }) => ({ value: id, label: name }))
  const there = buildings.filter(({ zone }) => zones.includes(zone))
  const values = (there.length > 0 ? there : buildings).map(({ id }) => id)
  if (buildings.length <= CHECKBOXES_MAX)
    return fields.checkboxes('buildings', t`Buildings`, { options, values })
  const hint = t`Buildings in this country are selected. Hold Ctrl or Cmd to select or clear others.`
  return fields.select('buildings', t`Buildings`, { options, values, hint, required: true })
}

const parseYear = (date: string) => Number(date.slice(0, 4))

const isWorkingDay = ({ from, isPublic, isWhole }: Holiday) =>
  isPublic && isWhole && findWeekday(from) < SATURDAY

const findWeekday = (local: string) => new Date(`${local.slice(0, 10)}T00:00Z`).getUTCDay() || SATURDAY + 1

const countDays = ({ from, to }: Holiday) =>
  Math.round((Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / DAY_MS)

function toOption(holiday: Holiday): Option {
  const { from, to, name, isPublic, isWhole } = holiday
  const notes = [
    isWhole && countDays(holiday) > 1 && plural(countDays(holiday), '# day', '# days'),
    !isWhole && t`from ${from.slice(11)} to ${to.endsWith('00:00') ? '24:00' : to.slice(11)}`,
    !isPublic && t`bank holiday`,
  ].filter(Boolean)
  const day = formatDate(from.slice(0, 10), 'full')
  return { value: formatHoliday(holiday), label: name, hint: [day, ...notes].join(' · ') }
}

// The form contains the holidays, so that the buildings close exactly on the holidays shown.
const formatHoliday = ({ from, to, reason }: Holiday) => `${from} ${to} ${reason}`

function parseHoliday(value: string): LocalClosedTime {
  const [, from, to, reason] = HOLIDAY_PATTERN.exec(value) ?? []
  if (!from || !to || !reason) throw invalidFields({ days: [message`Choose at least one day.`] })
  return { from, to, reason }
}

function linkToBookingsWithin(days: LocalClosedTime[], ids: number[]) {
  const [first = '', last = ''] = [
    days.map(({ from }) => from).sort()[0],
    days.map(findLastDay).sort().at(-1),
  ]
  const building = ids.length === 1 ? ids[0] : undefined
  return linkToBookingsOnDays({ from: first.slice(0, 10), to: last }, { building })
}

const findLastDay = ({ to }: LocalClosedTime) => new Date(Date.parse(`${to}Z`) - 1).toISOString().slice(0, 10)

// Asks what should happen to bookings, except bookings at times when a building is already closed.
async function askAboutBookings(call: HolidaysCall, buildings: BuildingToClose[]) {
  if (!affectedForm.needsResolution(call, 'close')) return undefined
  const { days = [], buildings: ids = [] } = call.refusedForm?.values ?? {}
  const chosen = buildings.filter(({ id }) => ids.includes(String(id)))
  const groups = groupPlacesByTimes(days.map(parseHoliday), chosen)
  const searches = groups.map(async (group) => ({
    ids: await listBookablesOfPlaces(call.reads, 'buildings', group.ids),
    times: group.times,
  }))
  return affectedForm.showResolutionOptions(call, await Promise.all(searches), { canLeave: true })
}
