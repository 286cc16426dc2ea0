// The card of a bookable's current and next claims: bookings, and events that have it as a room.
import type pg from 'pg'
import { claimsOf } from '../../../shared/affected-bookings/claims.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t, tHtml } from '../locales/translate.ts'
import { showEnd, showInstant } from '../time/instants.ts'
import { card } from '../ui/cards.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import type { LocatedBookableRow } from './queries.ts'

const SHOWN_MAX = 6

type NextClaim = {
  id: number
  eventId: number | null
  who: string
  guest: string | null
  from: string
  to: string | null
}

const CLAIMS = claimsOf('bookings.bookable_id = $1 AND bookings.during && tstzrange($2, NULL)')

async function listNextClaims(reads: pg.Pool, bookableId: number, now: string): Promise<NextClaim[]> {
  const { rows } = await reads.query<NextClaim>(
    `SELECT claims.id, claims.event_id AS "eventId", coalesce(users.name, events.name) AS who,
       coalesce(claims.guest_name, claims.guest_email) AS guest,
       ${timestampText('lower(claims.during)')} AS "from", ${timestampText('upper(claims.during)')} AS "to"
     FROM (${CLAIMS}) AS claims
     LEFT JOIN users ON users.id = claims.user_id
     LEFT JOIN events ON events.id = claims.event_id
     ORDER BY lower(claims.during), claims.id LIMIT ${SHOWN_MAX + 1}`,
    [bookableId, now],
  )
  return rows
}

export async function nextClaimsCard(
  call: Call,
  { id, name, location, buildingId, zone }: LocatedBookableRow,
): Promise<Html> {
  const claims = await listNextClaims(call.reads, id, call.now)
  const items = claims.slice(0, SHOWN_MAX).map(({ id, eventId, who, guest, from, to }) => {
    const address = call.link(eventId === null ? `/bookings/${id}` : `/events/${eventId}`)
    const start = showInstant(from, zone)
    const when = to === null ? tHtml`${start} open-ended` : tHtml`${start} to ${showEnd(from, to, zone)}`
    return html`<li>${showLinkOrText(address, who)}${guest !== null && html` <span class="soft">${t`for ${guest}`}</span>`}${from <= call.now && html` <span class="badge good">${t`now`}</span>`}<br><span class="soft">${when}</span></li>`
  })
  const today = call.link('/bookings', { place: `${name} ${location}`, building: buildingId })
  return card(
    t`Now and next`,
    html`${items.length === 0 ? html`<p>${t`Not booked now or later.`}</p>` : html`<ul class="rows">${items}</ul>`}
${claims.length > SHOWN_MAX && html`<p class="soft">${t`Only the first ${SHOWN_MAX} are shown.`}</p>`}
<p>${showLink(today, t`Search its bookings`)}</p>`,
    'now-and-next',
  )
}
