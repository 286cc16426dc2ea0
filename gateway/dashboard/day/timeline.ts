// Shows the timeline of a day as a table: a row per bookable, a cell per segment that is taken or free. Free
// cells link to a new booking at that time, taken cells to their booking or event. `client/timeline.ts` adds
// dragging and arrow keys.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { attributes, type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { plural, t } from '../locales/translate.ts'
import { addDaysToDate } from '../time/instants.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { showLink, showLinkOrText } from '../ui/parts.ts'
import * as intervals from './intervals.ts'
import type { DayClaim, DayRow } from './queries.ts'

const HOUR = 60
const WORK = { from: 9 * HOUR, to: 17 * HOUR }

type Timeline = {
  caption: string
  date: string
  rows: DayRow[]
  /** Time before this minute is over and cannot be booked. */
  elapsedMinutes: number
  back: string | undefined
  showsLocation: boolean
}

export function showTimeline(call: Call, timeline: Timeline): Html {
  const { caption, date, rows } = timeline
  const hours = intervals.hoursOf(rows.flatMap(({ claims }) => claims))
  const columns = (hours.to - hours.from) / intervals.QUARTER
  const heads = Array.from({ length: columns / 4 }, (_, hour) => {
    return html`<th scope="col" colspan="4">${intervals.formatMinute(hours.from + hour * HOUR)}</th>`
  })
  const own = attributes({ 'data-date': date, 'data-from': hours.from, 'data-to': hours.to })
  return html`<div class="scroll timeline-scroll" role="region" aria-label="${caption}" tabindex="0"><table class="timeline"${own}>
<caption class="unseen">${caption}</caption>
<colgroup><col class="name"><col span="${columns}"></colgroup>
<thead><tr><th scope="col">${t`Name`}</th>${heads}</tr></thead>
<tbody>${rows.map((row) => showRow(call, timeline, row, hours))}</tbody></table></div>`
}

function showRow(call: Call, timeline: Timeline, row: DayRow, hours: intervals.Hours): Html {
  const { id, name, type, capacity, location, status } = row
  const people =
    type === BOOKABLE_TYPES.meetingRoom && capacity !== null && plural(capacity, '# person', '# people')
  const about = [formatBookableType(type), people, timeline.showsLocation && location]
    .filter(Boolean)
    .join(', ')
  const cells = intervals
    .splitIntoSegments(row.claims, hours)
    .map((segment) => showSegment(call, timeline, row, segment))
  const isBlocked = status === BOOKABLE_STATUSES.blocked
  const own = attributes({
    'data-bookable': id,
    'data-name': name,
    'data-type': type,
    class: isBlocked && 'blocked',
  })
  return html`<tr${own}><th scope="row">${showLinkOrText(call.link(`/places/bookables/${id}`), name)}<small>${about}</small></th>${cells}</tr>`
}

function showSegment(call: Call, timeline: Timeline, row: DayRow, segment: intervals.Segment<DayClaim>) {
  const { from, to, claim } = segment
  const span = attributes({ colspan: (to - from) / intervals.QUARTER, 'data-from': from, 'data-to': to })
  if (claim) return html`<td class="taken"${span}>${showClaim(call, timeline, row, claim)}</td>`
  if (row.status === BOOKABLE_STATUSES.blocked)
    return html`<td${span}><span class="soft">${t`Blocked`}</span></td>`
  return html`<td class="open"${span}>${showFree(call, timeline, row, segment)}</td>`
}

function showClaim(call: Call, { back }: Timeline, { name }: DayRow, claim: DayClaim): Html {
  const { id, eventId, event, who, guest, from, to, spansOtherDays } = claim
  const label = event ?? (guest === null ? who : `${guest} (${who})`)
  const [start, end] = [intervals.formatMinute(from), intervals.formatMinute(to)]
  const words = spansOtherDays
    ? t`${name}, ${start} to ${end}, and on other days: ${label}`
    : t`${name}, ${start} to ${end}: ${label}`
  const isMovable = eventId === null && !spansOtherDays
  const address = eventId === null ? call.link(`/bookings/${id}`, { back }) : call.link(`/events/${eventId}`)
  return showLinkOrText(address, label, {
    title: words,
    'aria-label': words,
    'data-booking': isMovable && id,
    'data-starts': from,
    'data-ends': to,
    class: eventId !== null && 'event',
  })
}

/** Time that is over cannot be booked. In a long segment, the link proposes working hours. */
function showFree(
  call: Call,
  { date, elapsedMinutes, back }: Timeline,
  row: DayRow,
  segment: intervals.Segment<DayClaim>,
): Content {
  const open = { from: Math.max(segment.from, elapsedMinutes), to: segment.to }
  if (open.from >= open.to) return null
  const from = open.from < WORK.from && WORK.from < open.to ? WORK.from : open.from
  const isRoom = row.type === BOOKABLE_TYPES.meetingRoom
  const latest = isRoom ? from + HOUR : from < WORK.to ? WORK.to : open.to
  const to = Math.min(latest, open.to)
  const address = call.link('/bookings/new', {
    bookable: row.id,
    from: localTime(date, from),
    to: localTime(date, to),
    back,
  })
  const words = t`Book ${row.name}, ${intervals.formatMinute(from)} to ${intervals.formatMinute(to)}`
  return showLink(address, '', { 'aria-label': words, title: words, 'data-open': open.from })
}

/** In the format of datetime-local fields. */
function localTime(date: string, minute: number): string {
  return minute < intervals.DAY
    ? `${date}T${intervals.formatMinute(minute)}`
    : `${addDaysToDate(date, 1)}T${intervals.formatMinute(minute - intervals.DAY)}`
}
