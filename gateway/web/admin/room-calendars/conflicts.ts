// Settings → Calendars → Conflicts: entries that got no room in Berth, and bookings that could not be written to a calendar,
// with what can be done about each. Private entries show neither a title nor people.
import { object } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { formatMessage, sentence, t, tHtml } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { formatEnd, showInstant } from '../../pages/time/instants.ts'
import { createPageSlice, pageNumber, showListPager, showPageBeyondLast } from '../../pages/ui/paging.ts'
import { type Column, showLink, showLinkOrText, showTable } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { type ConflictRow, listConflicts } from './queries.ts'
import { CONFLICTS_PATH, settingsBreadcrumbs, showCalendarTabs } from './tabs.ts'

const ROWS_PER_PAGE = 50

export const calendarConflictsPage = definePage({
  path: CONFLICTS_PATH,
  title: sentence`Conflicts`,
  section: 'Settings',
  readers: 'owner',
  writers: 'owner',
  query: object({ page: pageNumber() }),
  async show(call) {
    const { page } = call.query
    const found = await listConflicts(call.reads, createPageSlice(page, ROWS_PER_PAGE))
    // Sentences take several lines, so this is no list with one line for each row.
    const table = showTable(
      t`Conflicts`,
      createColumns(call),
      found.rows.slice(0, ROWS_PER_PAGE),
      page > 1 ? showPageBeyondLast(call, page) : showNoConflicts(),
    )
    return {
      title: t`Calendars`,
      breadcrumbs: settingsBreadcrumbs(),
      lead: t`Meetings of linked calendars that have no room in Berth, and bookings that are missing from the calendar.`,
      content: html`${showCalendarTabs(call, CONFLICTS_PATH)}
${table}
${showListPager(call, { found, page, rowsPerPage: ROWS_PER_PAGE })}`,
    }
  },
})

const showNoConflicts = () =>
  showEmptyState(
    t`No conflicts.`,
    t`Meetings of linked calendars appear here if Berth has given their time to somebody else.`,
  )

function createColumns(call: Call): Column<ConflictRow>[] {
  return [
    {
      label: t`Room`,
      isShort: true,
      show: ({ bookableId, bookable }) =>
        showLinkOrText(call.link(`/places/bookables/${bookableId}`), bookable),
    },
    {
      label: t`Time`,
      show: ({ from, to, zone }) => tHtml`${showInstant(from, zone)} to ${formatEnd(from, to, zone)}`,
    },
    { label: t`Meeting`, show: (row) => showWhat(call, row) },
    { label: t`Why`, show: ({ reason, fault }) => formatReason(reason ?? fault) },
    { label: t`What to do`, show: (row) => showRemedy(call, row) },
  ]
}

const formatReason = (reason: ConflictRow['reason']) => reason && formatMessage(reason)

function showWhat(call: Call, { title, who, eventId, bookingId, reason }: ConflictRow): Html {
  // A booking or meeting that Berth wrote to the calendar has a page of its own.
  if (reason === null && eventId !== null) return showLinkOrText(call.link(`/events/${eventId}`), t`Meeting`)
  if (reason === null && bookingId !== null)
    return showLinkOrText(call.link(`/bookings/${bookingId}`), t`Booking`)
  if (title === null && who === null) return html`<span class="soft">${t`private`}</span>`
  return html`${title ?? t`Meeting`}${who !== null && html` <span class="soft">${who}</span>`}`
}

function showRemedy(
  call: Call,
  { reason, decline, freeRooms, locationId, from, zone }: ConflictRow,
): Content {
  if (reason === null) return t`Berth tries again by itself. The booking stays.`
  const rooms = freeRooms.map(
    ({ id, name }, index) =>
      html`${index > 0 && ', '}${showLinkOrText(call.link(`/places/bookables/${id}`), name)}`,
  )
  const day = showLink(
    call.link('/day', { location: locationId, date: formatLocalDate(from, zone) }),
    t`Show the day`,
  )
  const advice =
    decline === 'declined'
      ? t`Declined. The organizer knows.`
      : t`Ask the organizer for another room or time, or free the room: Berth then takes the meeting over.`
  return html`${advice}${rooms.length > 0 && html` ${tHtml`Free at this time: ${html`${rooms}`}.`}`} ${day}`
}
