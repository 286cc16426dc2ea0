// The timeline of a day in a building or on a floor. It lists rooms first, shows hours from left to right, and links to
// book free time.

import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required } from '../../../../shared/schemas/fields.ts'
import {
  findStartOfDay,
  formatLocalDate,
  formatLocalDateTime,
} from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { findReturnAddress } from '../../pages/page/back.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { EXCLUSIVE_TYPES, listFloors, showTypeFilter } from '../../pages/search/choices.ts'
import { localDate, localDateTime, parseSpan } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import { DAY_MINUTES, QUARTER_MINUTES } from '../../pages/time/intervals.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { typeChoice } from '../../pages/ui/bookables.ts'
import { form, showFilterBar } from '../../pages/ui/forms.ts'
import { createPageSlice, pageNumber, showListPager, showPageBeyondLast } from '../../pages/ui/paging.ts'
import { showLink } from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import { showTabs } from '../../pages/ui/tabs.ts'
import { createNoticeWithAffected } from '../affected-bookings/affected-people.ts'
import { explainConflicts } from '../bookings/conflicts.ts'
import { requireBooking } from '../bookings/queries.ts'
import { createFloorField, findMainLocation, missingLocation } from '../places/location-pages.ts'
import { type DayPlace, findDayPlace, listDayRows } from './queries.ts'
import { showTimeline } from './timeline.ts'

const ROWS_PER_PAGE = 30
const REFRESH_SECONDS = 15

const query = object({
  building: queryId(),
  location: queryId(),
  date: localDate(),
  type: typeChoice(),
  page: pageNumber(1_000),
})
type DayCall = Call<unknown, typeof query.__outputType>

const moveForm = object({
  booking: required(queryId()),
  bookable: required(queryId()),
  from_time: required(localDateTime()),
  to_time: required(localDateTime()),
})

export const dayPage = definePage({
  path: '/day',
  title: sentence`Day`,
  section: 'Day',
  readers: 'reader',
  writers: 'front-desk',
  query,
  missing: missingLocation,
  actions: (action) => ({
    // Moves a dragged booking to another row, another time, or both.
    move: action(moveForm, async (call) => {
      const { booking, bookable: bookable_id, ...times } = call.form
      const found = await requireBooking(call.reads, booking)
      const { id, zone } = found
      const { from = found.from, to = null } = parseSpan(times, { from: zone, to: zone }, found)
      const input = { id, bookable_id, from_time: from, to_time: to ?? undefined }
      await explainConflicts(call, { bookableIds: [bookable_id], from, to }, { booking: id }, () =>
        call.dispatch('bookings.move', input),
      )
      return { redirectTo: call.linkHere(), ...(await createNoticeWithAffected(call, t`Changes saved.`)) }
    }),
  }),
  live: {
    rows: {
      everySeconds: REFRESH_SECONDS,
      show: async (call) => showRows(call, await requireDayPlace(call)),
    },
  },
  async findDefaults({ query, reads }) {
    if (query.building || query.location) return undefined
    const main = await findMainLocation(reads)
    return main && { building: main.buildingId }
  },
  async show(call) {
    if (!call.query.building && !call.query.location) return { redirectTo: call.link('/places') }
    const place = await requireDayPlace(call)
    const { buildingId, building, locationId, location, zone } = place
    const date = findDate(call, place)
    const [floors, floorField] = await Promise.all([
      listFloors(call.reads, buildingId),
      createFloorField(call.reads),
    ])
    const today = formatLocalDate(call.now, zone)
    const places: [string, string] = [t`Places`, '/places']
    const at = (day: string) => call.linkHere({ date: day === today ? null : day, page: null })
    const whole = {
      label: t`Whole building`,
      address: call.linkHere({ building: buildingId, location: null, page: null }),
      isCurrent: locationId === null,
    }
    const tab = ({ id, name }: { id: number; name: string }) => ({
      label: name,
      address: call.linkHere({ location: id, building: null, page: null }),
      isCurrent: id === locationId,
    })
    return {
      title: location ?? building,
      script: 'timeline',
      lead: t`${formatDate(date, 'full')}. Time zone: ${formatZone(zone)}.`,
      breadcrumbs: location === null ? [places] : [places, [building, `/places/buildings/${buildingId}`]],
      tools: html`${showLink(at(addDaysToDate(date, -1)), t`Day before`, { class: 'button quiet', rel: 'prev' })}
${date !== today && showLink(at(today), t`Today`, { class: 'button quiet' })}
${showLink(at(addDaysToDate(date, 1)), t`Day after`, { class: 'button quiet', rel: 'next' })}
${showLink(call.link('/reports/came', { ...(locationId === null ? { building: buildingId } : { location: locationId }), from: date, to: date }), t`Who came`, { class: 'button quiet' })}
${locationId !== null && showLink(call.link('/map', { location: locationId, date, time: '10:00' }), t`Map`, { class: 'button quiet' })}`,
      content: html`${showFilterBar(
        call,
        (fields) => [
          ...floorField(fields, locationId ?? undefined, t`Whole building`),
          fields.text('date', t`Day`, { type: 'date', value: date, required: true }),
          showTypeFilter(fields, EXCLUSIVE_TYPES),
        ],
        showTabs(t`Floors`, [whole, ...floors.map(tab)]),
        t`Show`,
      )}
<div data-timeline>${await call.live('rows')}
${showNotice('neutral', null, null, { 'data-told': true, hidden: true })}
${
  call.mayWrite &&
  html`<div hidden data-move>${form(call, { action: 'move', submit: t`Move` }, (fields) => [
    fields.text('booking', t`Booking`),
    fields.text('bookable', t`Desk or room`),
    fields.text('from_time', t`From`),
    fields.text('to_time', t`Until`),
  ])}</div>`
}</div>`,
    }
  },
})

async function requireDayPlace({ reads, query }: DayCall): Promise<DayPlace> {
  const place = await findDayPlace(reads, query)
  if (!place) throw new Refusal('not_found', missingLocation)
  return place
}

const findDate = ({ query, now }: DayCall, { zone }: DayPlace) => query.date ?? formatLocalDate(now, zone)

async function showRows(call: DayCall, place: DayPlace): Promise<Html> {
  const { page, type } = call.query
  const { zone, location, building } = place
  const date = findDate(call, place)
  const span = {
    date,
    zone,
    from: findStartOfDay(date, zone),
    to: findStartOfDay(addDaysToDate(date, 1), zone),
  }
  const found = await listDayRows(call.reads, place, type, span, createPageSlice(page, ROWS_PER_PAGE))
  if (found.rows.length === 0) {
    const none = showEmptyState(t`Nothing to book here.`)
    return page > 1 ? showPageBeyondLast(call, page) : none
  }
  const timeline = {
    caption: t`${location ?? building} on ${formatDate(date, 'long')}`,
    date,
    rows: found.rows.slice(0, ROWS_PER_PAGE),
    ...findElapsedTimes(call.now, date, zone),
    back: findReturnAddress(call),
    showsLocation: location === null,
  }
  return html`${showTimeline(call, timeline)}${showListPager(call, { found, page, rowsPerPage: ROWS_PER_PAGE })}`
}

/** `elapsedMinutes` is how many minutes of that day have passed, rounded up to the next quarter of an hour. */
function findElapsedTimes(now: string, date: string, zone: string) {
  const [today = '', time = ''] = formatLocalDateTime(now, zone).split('T')
  if (date !== today) return { elapsedMinutes: date < today ? DAY_MINUTES : 0, nowMinute: undefined }
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const minute = hours * 60 + minutes
  return { elapsedMinutes: Math.ceil(minute / QUARTER_MINUTES) * QUARTER_MINUTES, nowMinute: minute }
}
