// Shows the timeline of a day as a table: a row per bookable, and a cell per segment that is taken or free.
// Free cells link to a new booking at that time, and taken cells to their booking or event.
// `browser/timeline.ts` adds dragging and arrow keys.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import * as intervals from '../../pages/time/intervals.ts'
import { formatBookableType } from '../../pages/ui/bookables.ts'
import { showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import type { DayClaim, DayRow } from './queries.ts'

const HOUR_MINUTES = 60
const WORKING_MINUTES = { from: 9 * HOUR_MINUTES, to: 17 * HOUR_MINUTES }

// How many minutes the line that marks the current time moves at once. It moves in steps, because each step
// sends the rows to every viewer.
const NOW_STEP_MINUTES = 5

/** The kind of a row, by the bookable's type. Each kind has its own colour and its own text in the legend. */
const ROW_KINDS: Record<number, string> = {
  [BOOKABLE_TYPES.desk]: 'desk',
  [BOOKABLE_TYPES.parkingSpot]: 'spot',
  [BOOKABLE_TYPES.meetingRoom]: 'room',
}

type Timeline = {
  caption: string
  date: string
  rows: DayRow[]
  /** The minute before which the time of the day has passed and cannot be booked. */
  elapsedMinutes: number
  /** The current minute of the day; undefined unless the day is today. */
  nowMinute: number | undefined
  back: string | undefined
  showsLocation: boolean
}

export function showTimeline(call: Call, timeline: Timeline): Html {
  const { caption, date, rows } = timeline
  const hours = intervals.extendUsualHours(rows.flatMap(({ claims }) => claims))
  const columns = (hours.to - hours.from) / intervals.QUARTER_MINUTES
  const heads = Array.from({ length: columns / 4 }, (_, hour) => {
    return html`<th scope="col" colspan="4">${intervals.formatMinute(hours.from + hour * HOUR_MINUTES)}</th>`
  })
  const own = formatAttributes({ 'data-date': date, 'data-from': hours.from, 'data-to': hours.to })
  return html`${showLegend(rows)}
<div class="scroll timeline-scroll" role="region" aria-label="${caption}" tabindex="0"><div class="timeline-box"><table class="timeline"${own}>
<caption class="unseen">${caption}</caption>
<colgroup><col class="name"><col span="${columns}"></colgroup>
<thead><tr><th scope="col">${t`Name`}</th>${heads}</tr></thead>
<tbody>${rows.map((row) => showRow(call, timeline, row, hours))}</tbody></table>${showNowLine(timeline, hours)}</div></div>`
}

/** Draws the line of the current time as an SVG over the hours, because pages have no inline styles. */
function showNowLine({ nowMinute }: Timeline, { from, to }: intervals.MinuteRange): Content {
  if (nowMinute === undefined || nowMinute < from || nowMinute > to) return null
  const at = Math.floor(nowMinute / NOW_STEP_MINUTES) * NOW_STEP_MINUTES - from
  return html`<svg class="now-line" viewBox="0 0 ${to - from} 1" preserveAspectRatio="none" aria-hidden="true"><path d="M${at} 0V1" /></svg>`
}

/** Shows a legend of the colours in use. */
function showLegend(rows: DayRow[]): Html {
  const types = Object.keys(ROW_KINDS).map(Number)
  const booked = types.filter((type) => rows.some((row) => row.type === type && row.claims.some(isBooking)))
  const items = [
    ...booked.map((type) => [ROW_KINDS[type], formatBookableType(type)] as const),
    rows.some(({ claims }) => !claims.every(isBooking)) && (['event', t`Meeting`] as const),
    rows.some(isBlocked) && (['blocked', t`Blocked`] as const),
  ]
  const shown = items.map((item) => item && html`<li class="${item[0]}">${item[1]}</li>`)
  return html`<ul class="legend" aria-label="${t`Colours`}">${shown}</ul>`
}

const isBooking = ({ eventId }: DayClaim) => eventId === null
const isBlocked = ({ status }: DayRow) => status === BOOKABLE_STATUSES.blocked

function showRow(call: Call, timeline: Timeline, row: DayRow, hours: intervals.MinuteRange): Html {
  const { id, name, type, capacity, location } = row
  const people =
    type === BOOKABLE_TYPES.meetingRoom && capacity !== null && plural(capacity, '# person', '# people')
  const about = [formatBookableType(type), people, timeline.showsLocation && location]
    .filter(Boolean)
    .join(', ')
  const cells = intervals
    .splitIntoSegments(row.claims, hours)
    .map((segment) => showSegment(call, timeline, row, segment))
  const own = formatAttributes({
    'data-bookable': id,
    'data-name': name,
    'data-type': type,
    class: isBlocked(row) ? `${ROW_KINDS[type]} blocked` : ROW_KINDS[type],
  })
  return html`<tr${own}><th scope="row">${showLinkOrText(call.link(`/places/bookables/${id}`), name)}<small>${about}</small></th>${cells}`
}

function showSegment(call: Call, timeline: Timeline, row: DayRow, segment: intervals.Segment<DayClaim>) {
  const { from, to, claim } = segment
  const span = formatAttributes({ colspan: (to - from) / intervals.QUARTER_MINUTES, 'data-to': to })
  if (claim) return html`<td class="taken"${span}>${showClaim(call, timeline, row, claim)}`
  if (isBlocked(row)) return html`<td${span}><span class="soft">${t`Blocked`}</span>`
  return html`<td class="open"${span}>${showFreeSegment(call, timeline, row, segment)}`
}

function showClaim(call: Call, { back }: Timeline, { name }: DayRow, claim: DayClaim): Html {
  const { eventId, requestId, from, to, spansOtherDays } = claim
  const label = formatLabel(claim)
  const [start, end] = [intervals.formatMinute(from), intervals.formatMinute(to)]
  const words = spansOtherDays
    ? t`${name}, ${start} to ${end}, and on other days: ${label}`
    : t`${name}, ${start} to ${end}: ${label}`
  const isMovable = eventId === null && requestId === null && !spansOtherDays
  const address = formatAddress(call, claim, back)
  return showLinkOrText(address, label, {
    'aria-label': words,
    'data-booking': isMovable && claim.id,
    'data-starts': isMovable && from,
    'data-ends': isMovable && to,
    class: eventId !== null ? 'event' : requestId !== null && 'request',
  })
}

function formatLabel({ event, requestId, who, guest }: DayClaim): string {
  if (requestId !== null) return t`Requested by ${who}`
  return event ?? (guest === null ? who : `${guest} (${who})`)
}

function formatAddress(call: Call, { id, eventId, requestId }: DayClaim, back: string | undefined): string {
  if (requestId !== null) return call.link(`/bookings/requests/${requestId}`, { back })
  return eventId === null ? call.link(`/bookings/${id}`, { back }) : call.link(`/events/${eventId}`)
}

/** Shows free time as a link to book it. Past time cannot be booked. If the segment is long, the link
 * proposes working hours. */
function showFreeSegment(
  call: Call,
  { date, elapsedMinutes, back }: Timeline,
  row: DayRow,
  segment: intervals.Segment<DayClaim>,
): Content {
  const open = { from: Math.max(segment.from, elapsedMinutes), to: segment.to }
  if (open.from >= open.to) return null
  const from =
    open.from < WORKING_MINUTES.from && WORKING_MINUTES.from < open.to ? WORKING_MINUTES.from : open.from
  const isRoom = row.type === BOOKABLE_TYPES.meetingRoom
  const latest = isRoom ? from + HOUR_MINUTES : from < WORKING_MINUTES.to ? WORKING_MINUTES.to : open.to
  const to = Math.min(latest, open.to)
  const address = call.link('/bookings/new', {
    bookable: row.id,
    from: formatLocalTime(date, from),
    to: formatLocalTime(date, to),
    back,
  })
  const words = t`Book ${row.name}, ${intervals.formatMinute(from)} to ${intervals.formatMinute(to)}`
  return showLink(address, '', { 'aria-label': words, 'data-open': open.from })
}

/** Formats a time of day for datetime-local fields. */
function formatLocalTime(date: string, minute: number): string {
  return minute < intervals.DAY_MINUTES
    ? `${date}T${intervals.formatMinute(minute)}`
    : `${addDaysToDate(date, 1)}T${intervals.formatMinute(minute - intervals.DAY_MINUTES)}`
}
