// Shows who sits near a place, and when and by whom it is taken on a day, before a person books it. Each time of the
// day is a link that chooses this time.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { findStartOfDay } from '../../../../shared/schemas/wall-clock.ts'
import { waitlistTypeInput } from '../../../../shared/waits/waits.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import { formatFirstItems, showLink } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { formatJoinWaitlistAddress } from './floor-map.ts'
import { showBusyDay } from './free-times-picture.ts'
import { describeTime } from './seat-list.ts'
import {
  listClaimsOfSeat,
  listOccupiedSeats,
  listSeatPositions,
  type OccupiedSeat,
  type SeatDetails,
} from './seats.ts'
import { showTimeTabs } from './time-tabs.ts'
import { isMeetingRoomType } from './wanted.ts'
import { findOpenHours, type WantedTime } from './wanted-time.ts'

const NEIGHBOURS_MAX = 3
// The limit on the distance of a neighbour, as a share of the floor plan's width.
const NEIGHBOUR_DISTANCE_MAX = 0.25

/** The bookings of a place on a day, and the person who has it at the wanted time. */
export type SeatDay = {
  from: string
  to: string
  claims: OccupiedSeat[]
  holder: OccupiedSeat | undefined
  neighbours: OccupiedSeat[]
}

export async function findSeatDay(call: Call, seat: SeatDetails, time: WantedTime): Promise<SeatDay> {
  const midnight = (date: string) => findStartOfDay(date, seat.zone)
  const day = { from: midnight(time.date), to: midnight(addDaysToDate(time.date, 1)) }
  const isShared = seat.type === BOOKABLE_TYPES.homeOffice
  const [claims, neighbours] = await Promise.all([
    isShared ? [] : listClaimsOfSeat(call, seat, day),
    seat.type === BOOKABLE_TYPES.desk ? listNeighbours(call, seat, time) : [],
  ])
  const own = call.requirePerson().id
  const holder = claims.find(
    ({ from, to, isAssigned, userId }) =>
      !(isAssigned || userId === own) && (from === null || from < time.to) && (to === null || to > time.from),
  )
  return { ...day, claims, holder, neighbours }
}

/** Lists the people who sit near the place at the wanted time, with the nearest first. */
async function listNeighbours(call: Call, seat: SeatDetails, time: WantedTime): Promise<OccupiedSeat[]> {
  const floor = { location: seat.locationId, type: seat.type }
  const [sitting, placed] = await Promise.all([
    listOccupiedSeats(call, floor, time),
    listSeatPositions(call, floor),
  ])
  const places = new Map(placed.map((each) => [each.id, each]))
  const here = places.get(seat.id)
  const distanceTo = (id: number) => {
    const other = places.get(id)
    if (!other || other.x === null || other.y === null || !here || here.x === null || here.y === null)
      return Number.POSITIVE_INFINITY
    return Math.hypot(other.x - here.x, other.y - here.y)
  }
  return sitting
    .filter(
      ({ seatId, who, userId }) => seatId !== seat.id && who !== null && userId !== call.requirePerson().id,
    )
    .map((holder) => ({ holder, distance: distanceTo(holder.seatId) }))
    .filter(({ distance }) => distance <= NEIGHBOUR_DISTANCE_MAX)
    .sort((one, other) => one.distance - other.distance)
    .map(({ holder }) => holder)
}

/** Shows the people nearby, the day as a strip, and the usual times. */
export function showSeatDay(call: Call, seat: SeatDetails, time: WantedTime, day: SeatDay): Html {
  const near = day.neighbours.map(({ who, seat: name }) => `${who} (${name})`)
  const busy = day.claims.flatMap(({ from, to, isAssigned }) =>
    isAssigned ? [] : [{ from: from ?? day.from, to: to ?? day.to }],
  )
  const strip = showBusyDay({
    ...time,
    rows: [{ name: seat.name, isRoom: true, busy }],
    open: findOpenHours(time.date, seat.hours),
  })
  const times = showTimeTabs(call, seat, time, { isShort: isMeetingRoomType(seat.type) })
  return html`<div class="seat-day">${near.length > 0 && html`<p class="soft">${t`Near ${formatFirstItems(near, NEIGHBOURS_MAX)}`}</p>`}
${seat.type !== BOOKABLE_TYPES.homeOffice && strip}${times}</div>`
}

/** Shows who has the place at the wanted time, if the person may see that, and alternatives. */
export function showHolder(call: Call, seat: SeatDetails, time: WantedTime, holder: OccupiedSeat): Html {
  const { who, userId } = holder
  const words = `${who ?? t`Someone`}${describeTime(holder, seat.type, time)}`
  const near = { ...time.query, location: seat.locationId, type: seat.type, near: seat.id, with: userId }
  const canWait = waitlistTypeInput().isValidSync(seat.type)
  return html`${showNotice('neutral', t`Taken: ${words}`)}
<div class="buttons">${
    canWait &&
    showLink(
      formatJoinWaitlistAddress(call, { bookable: seat.id, from: time.from, to: time.to }),
      t`Wait for this place`,
      { class: 'button quiet' },
    )
  }${who !== null && seat.type === BOOKABLE_TYPES.desk && showLink(call.link('/book', near), t`Sit nearby`, { class: 'button quiet' })}</div>`
}
