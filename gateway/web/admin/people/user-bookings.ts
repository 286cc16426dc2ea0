// Shows the desks assigned to a user, the user's bookings and their meetings.
import type pg from 'pg'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { type Html, html } from '../../../html/html.ts'
import {
  BOOKED_PLACE_COLUMNS,
  JOIN_PLACES,
  numberColumn,
  type RowOf,
  selectRows,
} from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatEnd, showInstant } from '../../pages/time/instants.ts'
import { type Column, formatFirstItems, showLinkOrText, showTable } from '../../pages/ui/parts.ts'
import { formatUntil } from '../bookings/bookings.ts'
import { type BookingRow, listBookings } from '../bookings/queries.ts'
import { showEventStatus } from '../events/event.ts'
import { type EventFacts, listEvents } from '../events/queries.ts'

const NAMED_BOOKABLES_MAX = 5
const SHOWN_BOOKINGS_MAX = 100
const SHOWN_PAST_BOOKINGS_MAX = 10
const SHOWN_EVENTS_MAX = 20

type AssignedBookable = RowOf<typeof BOOKED_PLACE_COLUMNS>

/** Lists the bookables that are assigned to a user. Deactivated users keep their assignments. */
export const listAssignedBookables = (reads: pg.Pool, userId: number): Promise<AssignedBookable[]> =>
  selectRows(
    reads,
    BOOKED_PLACE_COLUMNS,
    `bookable_assignees JOIN bookables ON bookables.id = bookable_assignees.bookable_id ${JOIN_PLACES}
     WHERE bookable_assignees.user_id = $1 AND bookables.deleted_at IS NULL
     ORDER BY ${naturalSql('buildings.name')}, ${naturalSql('locations.name')}, ${naturalSql('bookables.name')}, bookables.id`,
    [userId],
  )

export function describeKeptAssignments(assigned: readonly AssignedBookable[]): string {
  if (assigned.length === 0) return ''
  const bookables = assigned.map(({ bookable }) => bookable)
  const names = formatFirstItems(bookables, NAMED_BOOKABLES_MAX)
  return assigned.length === 1
    ? t`${names} stays assigned to them until you end the assignment.`
    : t`${names} stay assigned to them until you end the assignments.`
}

export function showAssignedBookables(call: Call, assigned: readonly AssignedBookable[]): Html {
  const items = assigned.map(
    ({ bookableId, bookable, location, building }) =>
      html`<li>${showLinkOrText(call.link(`/places/bookables/${bookableId}`), bookable)} <span class="soft">${location}, ${building}</span></li>`,
  )
  return html`<ul class="rows">${items}</ul>`
}

const IS_FUTURE_BOOKING_SQL = 'bookings.user_id = $1 AND bookings.during && tstzrange($2, NULL)'

export const listFutureBookings = (reads: pg.Pool, userId: number, now: string): Promise<BookingRow[]> =>
  listBookings(
    reads,
    `WHERE ${IS_FUTURE_BOOKING_SQL} ORDER BY lower(bookings.during), bookings.id LIMIT ${SHOWN_BOOKINGS_MAX + 1}`,
    [userId, now],
  )

export const listPastBookings = (reads: pg.Pool, userId: number, now: string): Promise<BookingRow[]> =>
  listBookings(
    reads,
    `WHERE bookings.user_id = $1 AND lower(bookings.during) < $2 AND upper(bookings.during) <= $2
     ORDER BY lower(bookings.during) DESC, bookings.id DESC LIMIT ${SHOWN_PAST_BOOKINGS_MAX}`,
    [userId, now],
  )

export async function countFutureBookings(reads: pg.Pool, userId: number, now: string): Promise<number> {
  const counted = { bookings: numberColumn('count(*)::int') }
  return getOnlyRow(
    await selectRows(reads, counted, `bookings WHERE ${IS_FUTURE_BOOKING_SQL}`, [userId, now]),
  ).bookings
}

export function showBookings(call: Call, caption: string, rows: BookingRow[], empty: string): Html {
  const columns: Column<BookingRow>[] = [
    {
      label: t`Desk or room`,
      show: ({ id, bookable }) => showLinkOrText(call.link(`/bookings/${id}`), bookable),
    },
    { label: t`Floor`, show: ({ building, location }) => `${location}, ${building}` },
    { label: t`From`, show: ({ from, zone }) => showInstant(from, zone) },
    { label: t`Until`, show: formatUntil },
    { label: t`Plate`, show: ({ plate }) => plate },
  ]
  return showFirstRows(caption, columns, rows, { empty, max: SHOWN_BOOKINGS_MAX })
}

/** Shows a user's current and upcoming events. One index finds the events that the user attends, and another
 * the events that the user organizes. */
export async function showEvents(call: Call<{ id: number }>): Promise<Html> {
  const { id } = call.params
  const events = await listEvents(
    call.reads,
    `WHERE events.id IN (
       SELECT event_id FROM event_attendees WHERE user_id = $1
       UNION SELECT events.id FROM events WHERE organizer_user_id = $1
     ) AND events.during && tstzrange($2, NULL)
     ORDER BY lower(events.during), events.id LIMIT ${SHOWN_EVENTS_MAX + 1}`,
    [id, call.now],
  )
  const columns: Column<EventFacts>[] = [
    {
      label: t`Name`,
      show: (row) =>
        html`${showLinkOrText(call.link(`/events/${row.id}`), row.name)} ${showEventStatus(row, call.now)}`,
    },
    { label: t`From`, show: ({ from, fromZone }) => showInstant(from, fromZone) },
    { label: t`Until`, show: ({ from, to, fromZone }) => formatEnd(from, to, fromZone) },
    { label: t`Role`, show: ({ organizerId }) => (organizerId === id ? t`organizer` : t`attendee`) },
  ]
  const empty = t`No current or upcoming meetings.`
  return showFirstRows(t`Current and upcoming meetings`, columns, events, { empty, max: SHOWN_EVENTS_MAX })
}

function showFirstRows<Row>(
  caption: string,
  columns: Column<Row>[],
  rows: Row[],
  { empty, max }: { empty: string; max: number },
): Html {
  return html`${showTable(caption, columns, rows.slice(0, max), empty)}
${rows.length > max && html`<p class="soft">${t`Only the first ${max} are shown.`}</p>`}`
}
