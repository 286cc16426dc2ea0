// The bookings and events on a user's page.
import type pg from 'pg'
import { timestampText } from '../../../shared/schemas/json.ts'
import { type Html, html } from '../../http/html.ts'
import { showEventStatus } from '../events/words.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { showEnd, showInstant } from '../time/instants.ts'
import { showLinkOrText } from '../ui/links.ts'
import { type Column, table } from '../ui/tables.ts'
import type { UserBooking } from './user-bookings.ts'

const EVENTS_SHOWN = 20

type UserEvent = {
  id: number
  name: string
  from: string
  to: string
  zone: string
  status: number
  isOrganizer: boolean
}

/** Current and upcoming events. One index finds those that the user attends, another those they organize. */
async function listUserEvents(reads: pg.Pool, userId: number, now: string): Promise<UserEvent[]> {
  const { rows } = await reads.query<UserEvent>(
    `SELECT id, name, ${timestampText('lower(during)')} AS "from", ${timestampText('upper(during)')} AS "to",
       from_timezone AS zone, status, organizer_user_id = $1 AS "isOrganizer"
     FROM events
     WHERE id IN (
       SELECT event_id FROM event_attendees WHERE user_id = $1
       UNION SELECT events.id FROM events WHERE organizer_user_id = $1
     ) AND during && tstzrange($2, NULL)
     ORDER BY lower(during), id LIMIT ${EVENTS_SHOWN + 1}`,
    [userId, now],
  )
  return rows
}

export function bookingsTable(call: Call, caption: string, rows: UserBooking[], empty: string): Html {
  const columns: Column<UserBooking>[] = [
    {
      label: t`Desk or room`,
      isHead: true,
      show: ({ id, bookable }) => showLinkOrText(call.link(`/bookings/${id}`), bookable),
    },
    { label: t`Location`, show: ({ building, location }) => `${location}, ${building}` },
    { label: t`From`, show: (row) => showInstant(row.from, row.timezone) },
    { label: t`Until`, show: (row) => (row.to ? showEnd(row.from, row.to, row.timezone) : t`open-ended`) },
    { label: t`Plate`, show: ({ plate }) => plate },
  ]
  return table(caption, columns, rows, empty)
}

export async function eventsSection(call: Call<{ id: number }>): Promise<Html> {
  const events = await listUserEvents(call.reads, call.params.id, call.now)
  const columns: Column<UserEvent>[] = [
    {
      label: t`Name`,
      isHead: true,
      show: (row) =>
        html`${showLinkOrText(call.link(`/events/${row.id}`), row.name)} ${showEventStatus(row, call.now)}`,
    },
    { label: t`From`, show: ({ from, zone }) => showInstant(from, zone) },
    { label: t`Until`, show: ({ from, to, zone }) => showEnd(from, to, zone) },
    { label: t`Role`, show: ({ isOrganizer }) => (isOrganizer ? t`organizer` : t`attendee`) },
  ]
  const title = t`Current and upcoming events`
  return html`<section aria-labelledby="events"><div class="head"><h2 id="events">${title}</h2></div>
${table(title, columns, events.slice(0, EVENTS_SHOWN), t`No current or upcoming events.`)}
${events.length > EVENTS_SHOWN && html`<p class="soft">${t`Only the first ${EVENTS_SHOWN} are shown.`}</p>`}</section>`
}
