// Lists what is free. Each entry links to the page that books it.

import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatTime } from '../../pages/time/instants.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import type { Seat, Sitting } from './seats.ts'
import { isForMeetings, type Wanted } from './wanted.ts'
import type { WantedTime } from './wanted-time.ts'

export const seatAddress = (call: Call, id: number, { query }: Pick<WantedTime, 'query'>) =>
  call.link(`/book/${id}`, query)

/** `floor` is the floor of the page, whose name is not repeated. */
export const showSeats = (call: Call, seats: Seat[], time: WantedTime, floor: number): Html =>
  html`<ul class="my-seats">${seats.map((seat) => html`<li>${showSeat(call, seat, time, floor)}</li>`)}</ul>`

function showSeat(call: Call, seat: Seat, time: WantedTime, floor: number) {
  const { id, name, type, tags, capacity, isUsual, needsApproval } = seat
  const seats = isForMeetings(type) && capacity !== null && plural(capacity, '# seat', '# seats')
  const about = [seat.locationId !== floor && seat.location, seats, ...tags].filter(Boolean).join(' · ')
  const inside = html`<span><strong>${name}</strong>${about !== '' && html` <span class="soft">${about}</span>`}</span>
<span>${isUsual && html`<span class="badge accent">${t`usual`}</span>`} ${needsApproval && html`<span class="badge warn">${t`on request`}</span>`}</span>`
  return showLinkOrText(seatAddress(call, id, time), inside)
}

type Day = { isClosed: boolean; isOffered: boolean }

/**
 * Lists colleagues by name, where they allow it. Next to desks, each name links to the free desks near them. When the place
 * is closed, it leaves out people who only have an assigned desk.
 */
export function showSitting(
  call: Call,
  sitting: Sitting[],
  { time, type, floor }: Wanted,
  { isClosed, isOffered }: Day,
): Html | false {
  const own = call.requirePerson().id
  const colleagues = sitting.filter(
    ({ userId, hasLeft, isAssigned }) => userId !== own && !(hasLeft || (isClosed && isAssigned)),
  )
  const rows = colleagues.map((each) => {
    const { who, seat, seatId, userId } = each
    const place = html`<span><strong>${who ?? t`Someone`}</strong> <span class="soft">${seat}${describeTime(each, type, time)}</span></span>`
    const here = { ...time.query, location: floor.locationId }
    const near = call.linkHere({ ...here, with: userId, near: seatId, all: null })
    return html`<li>${
      who === null || type !== BOOKABLE_TYPES.desk || !isOffered
        ? html`<div class="my-row">${place}</div>`
        : showLinkOrText(near, html`${place}<span class="soft">${t`Sit nearby`}</span>`)
    }</li>`
  })
  const present = time.isNow ? t`Already here` : t`Also there at that time`
  const heading = type === BOOKABLE_TYPES.homeOffice ? t`Also working from home` : present
  return rows.length > 0 && html`<h2>${heading}</h2><ul class="my-seats">${rows}</ul>`
}

/** Says the time of a booking, unless it is the whole time that the page is about. */
function describeTime(
  { from, to, isAssigned }: Sitting,
  type: number,
  { zone, ...time }: WantedTime,
): string {
  if (isAssigned) return ` · ${type === BOOKABLE_TYPES.desk ? t`own desk` : t`assigned, not booked`}`
  const begins = from !== null && from > time.from && formatTime(from, zone)
  const ends = to !== null && to < time.to && formatTime(to, zone)
  if (begins && ends) return ` · ${begins} – ${ends}`
  if (begins) return ` · ${t`from ${begins}`}`
  return ends ? ` · ${t`until ${ends}`}` : ''
}
