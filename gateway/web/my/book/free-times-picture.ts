// A picture of the day of a meeting: a row for its room and for each attendee, busy times in grey, and a
// frame around the time of the meeting. The first times that suit everybody are listed below the picture.
import { toWallClock } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import { formatDate, formatTime } from '../../pages/time/instants.ts'
import { formatMinute } from '../../pages/time/intervals.ts'
import { showCard } from '../../pages/ui/parts.ts'
import type { BusyRow, FreeTimes } from './free-times.ts'
import type { BookedSpan } from './seats.ts'

const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * HOUR_MINUTES
const USUAL_HOURS = { from: '09:00', to: '17:00' }
const ROW_HEIGHT = 10
const HOUR_LABELS_MAX = 6

type MinuteSpan = { from: number; to: number }

/** Formats a suggested time: “Wed 12 Feb, 10:00 – 11:00”. */
export const formatSuggestion = ({ from, to }: BookedSpan, zone: string): string =>
  `${formatDate(getLocalDate(from, zone), 'weekday')}, ${formatTime(from, zone)} – ${formatTime(to, zone)}`

const getLocalDate = (instant: string, zone: string) =>
  new Date(toWallClock(instant, zone)).toISOString().slice(0, 10)

/** Shows the picture and the suggested times. `buttonOf` renders a suggested time as a button or a link. */
export function showFreeTimes(found: FreeTimes, buttonOf: (span: BookedSpan) => Content): Html {
  const { unknown, date, suggestions } = found
  const others =
    unknown > 0 &&
    html`<li><span>${plural(unknown, '# person', '# people')}</span> <span class="soft">${t`no information`}</span></li>`
  const buttons = html`<p>${t`Times that suit everybody:`}</p><div class="buttons">${suggestions.map(buttonOf)}</div>`
  const none = html`<p class="soft">${t`No time within working hours in these two weeks suits everybody.`}</p>`
  return showCard(
    t`Free times`,
    html`<p class="soft">${t`${formatDate(date, 'weekday')}: grey times are taken. The frame marks the meeting.`}</p>
${showBusyDay(found, others)}
${suggestions.length > 0 ? buttons : none}`,
    'free-times',
  )
}

/** The busy times of a day, and the time to mark. */
type BusyDay = Pick<FreeTimes, 'rows' | 'date' | 'zone' | 'open' | 'from' | 'to'>

/** Shows the busy times of a day, with a row for each person or place. */
export function showBusyDay(day: BusyDay, more: Content = null): Html {
  const hours = findShownHours(day)
  return html`<ul class="my-times">${day.rows.map((row) => showRow(day, row, hours))}${more}</ul>
${showHours(hours)}`
}

function toMinutes({ date, zone }: BusyDay, { from, to }: BookedSpan): MinuteSpan {
  const beginsMs = Date.parse(`${date}T00:00Z`)
  const minuteOf = (instant: string) => (toWallClock(instant, zone) - beginsMs) / 60_000
  return { from: Math.max(minuteOf(from), 0), to: Math.min(minuteOf(to), DAY_MINUTES) }
}

/** Returns the working hours, extended to include the meeting. */
function findShownHours(found: BusyDay): MinuteSpan {
  const { from, to } = found.open ?? USUAL_HOURS
  const minuteOf = (time: string) => Number(time.slice(0, 2)) * HOUR_MINUTES + Number(time.slice(3, 5))
  const meeting = toMinutes(found, found)
  const isShown = meeting.from < meeting.to
  return {
    from:
      Math.floor(Math.min(minuteOf(from), isShown ? meeting.from : DAY_MINUTES) / HOUR_MINUTES) *
      HOUR_MINUTES,
    to: Math.ceil(Math.max(minuteOf(to), isShown ? meeting.to : 0) / HOUR_MINUTES) * HOUR_MINUTES,
  }
}

function showRow(found: BusyDay, row: BusyRow, hours: MinuteSpan): Html {
  const busy = row.busy
    .map((span) => toMinutes(found, span))
    .map(({ from, to }) => ({ from: Math.max(from, hours.from), to: Math.min(to, hours.to) }))
    .filter(({ from, to }) => from < to)
  const spans = busy.map(({ from, to }) => `${formatMinute(from)} – ${formatMinute(to)}`).join(', ')
  const label = busy.length > 0 ? t`${row.name}: taken ${spans}` : t`${row.name}: free`
  const meeting = toMinutes(found, found)
  const own = formatAttributes({
    viewBox: `${hours.from} 0 ${hours.to - hours.from} ${ROW_HEIGHT}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': label,
  })
  return html`<li><span>${row.name}</span><svg${own}>${busy.map((each) => showSpan(each, 'busy'))}${
    meeting.from < meeting.to && showSpan(meeting, 'asked')
  }</svg></li>`
}

const showSpan = ({ from, to }: MinuteSpan, kind: 'busy' | 'asked'): Html =>
  html`<rect class="${kind}" x="${from}" y="0" width="${to - from}" height="${ROW_HEIGHT}"/>`

function showHours({ from, to }: MinuteSpan): Html {
  const count = (to - from) / HOUR_MINUTES
  const step =
    [1, 2, 3, 4, 6, 8, 12, 24].find((each) => count % each === 0 && count / each <= HOUR_LABELS_MAX) ?? count
  const labels = Array.from({ length: Math.floor(count / step) + 1 }, (_none, index) =>
    formatMinute(from + index * step * HOUR_MINUTES),
  )
  return html`<p class="my-hours" aria-hidden="true">${labels.map((label) => html`<span>${label}</span>`)}</p>`
}
