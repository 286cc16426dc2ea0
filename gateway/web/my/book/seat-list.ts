// Lists what is free. Each entry links to the page that books the place.

import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatTime } from '../../pages/time/instants.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import type { OccupiedSeat, Seat } from './seats.ts'
import { isMeetingRoomType, type WantedPlace } from './wanted.ts'
import type { WantedTime } from './wanted-time.ts'

export const formatSeatPath = (call: Call, id: number, { query }: Pick<WantedTime, 'query'>) =>
  call.link(`/book/${id}`, query)

/** Lists free places. `floor` is the page's floor. Its name is not repeated. */
export const showSeats = (call: Call, seats: Seat[], time: WantedTime, floor: number): Html =>
  html`<ul class="my-seats">${seats.map((seat) => html`<li>${showSeat(call, seat, time, floor)}</li>`)}</ul>`

function showSeat(call: Call, seat: Seat, time: WantedTime, floor: number) {
  const { id, name, type, tags, capacity, isUsual, isLent, needsApproval } = seat
  const seats = isMeetingRoomType(type) && capacity !== null && plural(capacity, '# seat', '# seats')
  const about = [seat.locationId !== floor && seat.location, seats, ...tags].filter(Boolean).join(' · ')
  const inside = html`<span><strong>${name}</strong>${about !== '' && html` <span class="soft">${about}</span>`}</span>
<span>${isLent && html`<span class="badge">${t`lent`}</span> `}${isUsual && html`<span class="badge accent">${t`usual`}</span>`} ${needsApproval && html`<span class="badge warn">${t`on request`}</span>`}</span>`
  return showLinkOrText(formatSeatPath(call, id, time), inside, { 'data-sheet': true })
}

type SeatListDay = { isClosed: boolean; isOffered: boolean }

/** Lists the colleagues on a floor by name. Leaves out colleagues who hide from the viewer. Next to desks,
 * each name links to the free desks near the colleague. When the place is closed, leaves out people who only
 * have an assigned desk. */
export function showOccupiedSeats(
  call: Call,
  sitting: OccupiedSeat[],
  { time, type, floor }: WantedPlace,
  { isClosed, isOffered }: SeatListDay,
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
  const present = time.isNow ? t`Already here` : t`Also booked at that time`
  const heading = type === BOOKABLE_TYPES.homeOffice ? t`Also working from home` : present
  return rows.length > 0 && html`<h2>${heading}</h2><ul class="my-seats">${rows}</ul>`
}

/** Shows the time of a booking, unless the booking covers the page's whole time. */
export function describeTime(
  { from, to, isAssigned }: OccupiedSeat,
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
