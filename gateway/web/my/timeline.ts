// Shows a person's bookings, meetings, requests, waits and bookings for others in order of time. Each entry is one
// large row, which opens its card in a sheet. Current entries come first.
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../html/html.ts'
import { plural, t } from '../locales/translate.ts'
import type { Call } from '../pages/page/page.ts'
import { addDaysToDate, formatDate, formatTime, formatTimeBeside } from '../pages/time/instants.ts'
import { formatSpanOfDay } from '../pages/time/spans.ts'
import { formatAnyOfType, formatBookableType } from '../pages/ui/bookables.ts'
import { type IconName, showIcon } from '../pages/ui/icons.ts'
import { showMoreMenu } from '../pages/ui/menu.ts'
import { formatFirstItems, showLink, showLinkOrText } from '../pages/ui/parts.ts'
import { formatPerson, isAwaitingAnswer } from './answers.ts'
import type { BookedForOther, OwnBooking, OwnMeeting } from './bookings/own-bookings.ts'
import { createHiddenBookingFields } from './bookings/present-booking.ts'
import { describeUnusableRooms, explainLostRooms, formatRooms } from './describe-meeting.ts'
import { createEntryButtons } from './entry-buttons.ts'
import type { BookingRequestRow } from './own-requests.ts'
import type { OwnWaitlistEntry } from './own-waits.ts'

/** An entry of the timeline. `path` is the page about it, which opens in a sheet. Undefined if there is no page. */
export type TimelineEntry = {
  from: string
  to: string | null
  zone: string
  icon: IconName
  path: string | undefined
  name: string
  /** The text below the name: the place and the people. */
  about: Content[]
  badges: Content[]
  /** Buttons for the most likely actions. */
  actions: Content
  /** Identifies the series of the entry. */
  series?: string | false
}
/** An entry, and the later entries of its series. */
type TimelineRow = TimelineEntry & { later: TimelineEntry[] }

const TYPE_ICONS: Record<number, IconName> = {
  [BOOKABLE_TYPES.desk]: 'desk',
  [BOOKABLE_TYPES.parkingSpot]: 'parking',
  [BOOKABLE_TYPES.meetingRoom]: 'room',
  [BOOKABLE_TYPES.homeOffice]: 'home',
}
const chooseIcon = (type: number): IconName => TYPE_ICONS[type] ?? 'desk'

const formatLocation = ({ location, building }: { location: string; building: string }) =>
  `${location}, ${building}`

export function createBookingEntry(call: Call, booking: OwnBooking): TimelineEntry {
  const { id, from, to, zone, type, plate, bookable, guest, bookedBy, isRunning, mayCheckIn } = booking
  const { checkInUntil, checkedInAt, seriesId } = booking
  const button = createEntryButtons(call, bookable, createHiddenBookingFields(booking))
  return {
    from,
    to,
    zone,
    icon: chooseIcon(type),
    path: `/bookings/${id}`,
    name: bookable,
    about: [
      formatLocation(booking),
      // Names such as “P-001” or “Indus” do not tell the type.
      type !== BOOKABLE_TYPES.desk && formatBookableType(type),
      plate,
      guest !== null && t`For ${guest}`,
      bookedBy !== null && t`Booked by ${bookedBy}`,
    ],
    badges: [
      mayCheckIn &&
        checkInUntil !== null &&
        html`<span class="badge warn">${t`Check in by ${formatTime(checkInUntil, zone)}`}</span>`,
      checkedInAt !== null && html`<span class="badge good">${t`checked in`}</span>`,
    ],
    actions: [
      mayCheckIn && button('check-in', t`Check in`, 'primary'),
      isRunning && button('leave', t`Leave now`, 'quiet'),
    ],
    series: seriesId !== null && `bookings ${seriesId}`,
  }
}

const NAMED_PEOPLE_MAX = 3

/** `rooms` has the buttons that book another room for a meeting that has lost one. */
export function createMeetingEntry(call: Call, meeting: OwnMeeting, rooms: Html | undefined): TimelineEntry {
  const { id, from, to, zone, name, people, seriesId } = meeting
  const isOwn = meeting.organizerId === call.requirePerson().id
  const lost = explainLostRooms(meeting)
  const others = people.map((each) => formatPerson(meeting, each))
  return {
    from,
    to,
    zone,
    icon: 'meetings',
    path: `/meetings/${id}`,
    name,
    about: [
      meeting.rooms.length > 0 && formatRooms(meeting),
      others.length > 0 && t`With ${formatFirstItems(others, NAMED_PEOPLE_MAX)}`,
    ],
    badges: [
      lost && html`<span class="badge bad long">${lost}</span>`,
      describeUnusableRooms(meeting, call.now).map(
        (each) => html`<span class="badge warn long">${each}</span>`,
      ),
      !isOwn && isAwaitingAnswer(meeting) && html`<span class="badge warn">${t`Reply`}</span>`,
    ],
    actions: rooms,
    series: seriesId !== null && `meetings ${seriesId}`,
  }
}

export const createRequestEntry = (call: Call, request: BookingRequestRow): TimelineEntry => ({
  ...request,
  icon: chooseIcon(request.type),
  path: '/requests',
  name: request.title ?? request.bookable,
  about: [request.title !== null && request.bookable, formatLocation(request)],
  badges: [
    html`<span class="badge warn long">${t`Requested: waits until ${formatTimeBeside(request.expiresAt, call.now, request.zone)}`}</span>`,
  ],
  actions: null,
})

export const createWaitEntry = (wait: OwnWaitlistEntry): TimelineEntry => ({
  ...wait,
  icon: chooseIcon(wait.type),
  path: '/waits',
  name: wait.bookable ?? formatAnyOfType(wait.type),
  about: [formatLocation(wait)],
  badges: [html`<span class="badge">${t`on the waitlist`}</span>`],
  actions: null,
})

/**
 * Creates the entry of a booking that the person made for somebody else. It has no card, because the other person has
 * it.
 */
export function createEntryForOther(call: Call, booking: BookedForOther): TimelineEntry {
  const { id, who, bookable } = booking
  const button = createEntryButtons(call, `${bookable}, ${who}`, { id })
  const cancel = button('cancel-for-other', t`Cancel it`, 'danger')
  return {
    ...booking,
    icon: chooseIcon(booking.type),
    path: undefined,
    name: bookable,
    about: [formatLocation(booking), t`For ${who}`],
    badges: [],
    actions: showMoreMenu([cancel], `${bookable}, ${who}`),
  }
}

const isEmpty = (content: Content): boolean => html`${content}`.text === ''

/** Groups the entries of a series into the row of the first one. Entries with badges or buttons keep their own rows. */
export function groupSeries(entries: TimelineEntry[]): TimelineRow[] {
  const rows: TimelineRow[] = []
  const series = new Map<string, TimelineRow>()
  for (const each of entries) {
    const first = each.series ? series.get(each.series) : undefined
    if (first && isEmpty(each.badges) && isEmpty(each.actions)) first.later.push(each)
    else {
      const row = { ...each, later: [] }
      rows.push(row)
      if (each.series && !first) series.set(each.series, row)
    }
  }
  return rows
}

/** Shows the entries by day, each day with a heading. */
export function showTimeline(call: Call, entries: TimelineRow[]): Html {
  const groups = new Map<string, TimelineRow[]>()
  for (const each of entries) {
    const heading = formatDayHeading(each, call.now)
    groups.set(heading, [...(groups.get(heading) ?? []), each])
  }
  return html`${[...groups].map(
    ([heading, group]) =>
      html`<h2>${heading}</h2><ol class="my-timeline">${group.map((each) => showEntry(call, each))}</ol>`,
  )}`
}

export const compareEntries = (one: TimelineEntry, other: TimelineEntry): number =>
  one.from < other.from ? -1 : 1

/** Returns whether the entry begins today or began earlier, in the time zone of its place. */
export const isTodayOrNow = ({ from, zone }: Pick<TimelineEntry, 'from' | 'zone'>, now: string): boolean =>
  formatLocalDate(from, zone) <= formatLocalDate(now, zone)

function formatDayHeading({ from, zone }: TimelineEntry, now: string): string {
  if (from <= now) return t`Now`
  const [date, today] = [formatLocalDate(from, zone), formatLocalDate(now, zone)]
  if (date <= today) return t`Today`
  if (date === addDaysToDate(today, 1)) return t`Tomorrow`
  const isFar = date > addDaysToDate(today, DAYS_WITHOUT_YEAR_MAX)
  return formatDate(date, isFar ? 'full' : 'dayOfYear')
}

const DAYS_WITHOUT_YEAR_MAX = 300

function showEntry(call: Call, entry: TimelineRow): Html {
  const { icon, path, name, about, badges, actions, zone, later } = entry
  const span = formatSpanOfDay(entry, zone, call.now)
  const lines = about.filter(Boolean)
  // The link is as large as the row, but only the name is its label.
  const title = path === undefined ? name : showLinkOrText(call.link(path), name, { 'data-sheet': true })
  const row = html`<div class="my-entry">${showIcon(call.link('/'), icon)}<span class="my-entry-text"><span class="my-time">${span}</span>
<strong>${title}</strong>${lines.length > 0 && html`<span class="soft">${lines.map((each, index) => html`${index > 0 && ' · '}${each}`)}</span>`}${badges}</span></div>`
  return html`<li class="card">${row}${!isEmpty(actions) && html`<div class="buttons">${actions}</div>`}${later.length > 0 && showLaterDates(call, entry, later)}</li>`
}

/** Shows the other dates of a series, which open below its row. Each date shows only how it differs from the row. */
function showLaterDates(call: Call, first: TimelineEntry, later: TimelineEntry[]): Html {
  const dateOf = ({ from, zone }: TimelineEntry) => formatLocalDate(from, zone)
  const until = formatDate(dateOf(later.at(-1) ?? first), 'short')
  const dates = later.map((each) => {
    const span = formatSpanOfDay(each, each.zone, call.now)
    const differences = [
      span !== formatSpanOfDay(first, first.zone, call.now) && span,
      each.name !== first.name && each.name,
    ]
    const label = [formatDate(dateOf(each), 'weekday'), ...differences].filter(Boolean).join(' · ')
    return showLink(call.link(each.path ?? '/'), label, { class: 'button quiet', 'data-sheet': true })
  })
  return html`<details><summary>${plural(later.length, 'and # more until {0}', 'and # more until {0}', until)}</summary><div class="chips">${dates}</div></details>`
}
