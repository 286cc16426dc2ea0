// Finds what a person has already booked at the same time, so that the page can warn of a second desk.
import type pg from 'pg'
import { timestampText } from '../../../shared/schemas/json.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { formatTime, formatTimeBeside } from '../time/instants.ts'
import { showLinkOrText } from '../ui/links.ts'
import { formatList } from '../ui/words.ts'

const SHOWN_MAX = 3

type HeldBooking = {
  id: number
  bookable: string
  location: string
  from: string
  to: string | null
  zone: string
}

type Asked = { userId: number; type: number; from: string; to: string | null; ownId?: number | undefined }

/** Lists bookings of the same type. Bookings for the person's guests do not count. */
export async function listHeldBookings(
  reads: pg.Pool,
  { userId, type, from, to, ownId }: Asked,
): Promise<HeldBooking[]> {
  const { rows } = await reads.query<HeldBooking>(
    `SELECT bookings.id, bookables.name AS bookable, locations.name AS location, buildings.timezone AS zone,
       ${timestampText('lower(bookings.during)')} AS "from", ${timestampText('upper(bookings.during)')} AS "to"
     FROM bookings
     JOIN bookables ON bookables.id = bookings.bookable_id
     JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE bookings.user_id = $1 AND bookables.type = $2 AND bookings.during && tstzrange($3, $4)
       AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL AND bookings.id IS DISTINCT FROM $5
     ORDER BY lower(bookings.during), bookings.id LIMIT ${SHOWN_MAX}`,
    [userId, type, from, to, ownId ?? null],
  )
  return rows
}

export function showHeldBookings({ link }: Pick<Call, 'link'>, name: string, held: HeldBooking[]): Html {
  if (held.length === 0) return html``
  const each = held.map(
    (one) =>
      html`<li>${showLinkOrText(link(`/bookings/${one.id}`), one.bookable)}, ${one.location}, ${formatSpan(one)}</li>`,
  )
  return html`<div class="notice warn" role="status"><p>${t`${name} has already booked at that time:`}</p><ul class="instead">${each}</ul></div>`
}

export function describeHeldBookings(name: string, held: HeldBooking[]): string {
  return t`${name} also has ${formatList(held.map(({ bookable }) => bookable))} at that time.`
}

function formatSpan({ from, to, zone }: HeldBooking): string {
  if (to === null) return t`from ${formatTime(from, zone)}, open-ended`
  return t`${formatTime(from, zone)} to ${formatTimeBeside(to, from, zone)}`
}
