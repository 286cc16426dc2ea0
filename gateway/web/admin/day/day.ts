// The timeline of a day in a building or on a floor: rooms first, hours across, and links to book free time.

import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate, formatLocalDateTime, startOfDay } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { hereAsBack } from '../../pages/page/back.ts'
import { type Call, page } from '../../pages/page/page.ts'
import { EXCLUSIVE_TYPES, listFloors, typeFilter } from '../../pages/search/choices.ts'
import { localDate, localDateTime, parseSpan } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import { DAY, QUARTER } from '../../pages/time/intervals.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { typeChoice } from '../../pages/ui/bookables.ts'
import { filterBar, form } from '../../pages/ui/forms.ts'
import { beyondLast, listPager, pageNumber, sliceOf } from '../../pages/ui/paging.ts'
import { showLink } from '../../pages/ui/parts.ts'
import { showEmpty, showNotice } from '../../pages/ui/states.ts'
import { tabs } from '../../pages/ui/tabs.ts'
import { noticeOf } from '../affected-bookings/affected-people.ts'
import { explainConflicts } from '../bookings/conflicts.ts'
import { requireBooking } from '../bookings/queries.ts'
import { findMainLocation, floorChoice, missingLocation } from '../places/location-pages.ts'
import { type DayPlace, findDayPlace, listDay } from './queries.ts'
import { showTimeline } from './timeline.ts'

const ROWS_PER_PAGE = 30
const EVERY_SECONDS = 15

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

export const day = page({
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
      return { redirectTo: call.linkHere(), ...(await noticeOf(call, t`Changes saved.`)) }
    }),
  }),
  live: {
    rows: { everySeconds: EVERY_SECONDS, show: async (call) => showRows(call, await requirePlace(call)) },
  },
  async show(call) {
    if (!call.query.building && !call.query.location) {
      const main = await findMainLocation(call.reads)
      return { redirectTo: main ? call.linkHere({ building: main.buildingId }) : call.link('/places') }
    }
    const place = await requirePlace(call)
    const { buildingId, building, locationId, location, zone } = place
    const date = dateOf(call, place)
    const [floors, floorField] = await Promise.all([
      listFloors(call.reads, buildingId),
      floorChoice(call.reads),
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
      lead: t`${formatDate(date, 'full')}. Time zone: ${formatZone(zone)}.`,
      breadcrumbs: location === null ? [places] : [places, [building, `/places/buildings/${buildingId}`]],
      tools: html`${showLink(at(addDaysToDate(date, -1)), t`Day before`, { class: 'button quiet', rel: 'prev' })}
${date !== today && showLink(at(today), t`Today`, { class: 'button quiet' })}
${showLink(at(addDaysToDate(date, 1)), t`Day after`, { class: 'button quiet', rel: 'next' })}
${locationId !== null && showLink(call.link('/map', { location: locationId, date, time: '10:00' }), t`Map`, { class: 'button quiet' })}`,
      content: html`${filterBar(
        call,
        (fields) => [
          ...floorField(fields, locationId ?? undefined, t`Whole building`),
          fields.text('date', t`Day`, { type: 'date', value: date, required: true }),
          typeFilter(fields, EXCLUSIVE_TYPES),
        ],
        tabs(t`Floors`, [whole, ...floors.map(tab)]),
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

async function requirePlace({ reads, query }: DayCall): Promise<DayPlace> {
  const place = await findDayPlace(reads, query)
  if (!place) throw new Refusal('not_found', missingLocation)
  return place
}

const dateOf = ({ query, now }: DayCall, { zone }: DayPlace) => query.date ?? formatLocalDate(now, zone)

async function showRows(call: DayCall, place: DayPlace): Promise<Html> {
  const { page, type } = call.query
  const { zone, location, building } = place
  const date = dateOf(call, place)
  const span = { date, zone, from: startOfDay(date, zone), to: startOfDay(addDaysToDate(date, 1), zone) }
  const found = await listDay(call.reads, place, type, span, sliceOf(page, ROWS_PER_PAGE))
  if (found.rows.length === 0) {
    const none = showEmpty(t`Nothing to book here.`)
    return page > 1 ? beyondLast(call, page) : none
  }
  const timeline = {
    caption: t`${location ?? building} on ${formatDate(date, 'long')}`,
    date,
    rows: found.rows.slice(0, ROWS_PER_PAGE),
    ...timesOf(call.now, date, zone),
    back: hereAsBack(call),
    showsLocation: location === null,
  }
  return html`${showTimeline(call, timeline)}${listPager(call, { found, page, rowsPerPage: ROWS_PER_PAGE })}`
}

/** `elapsedMinutes`: the minutes of that day that have passed, rounded up to the next quarter of an hour. */
function timesOf(now: string, date: string, zone: string) {
  const [today = '', time = ''] = formatLocalDateTime(now, zone).split('T')
  if (date !== today) return { elapsedMinutes: date < today ? DAY : 0, nowMinute: undefined }
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const minute = hours * 60 + minutes
  return { elapsedMinutes: Math.ceil(minute / QUARTER) * QUARTER, nowMinute: minute }
}
