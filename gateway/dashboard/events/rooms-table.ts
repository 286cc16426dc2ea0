// The table of rooms to choose for an event: how large each is and whether it is free at that time. If a
// chosen room is taken, offers free ones instead.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { FreeBookable } from '../bookings/free-bookables.ts'
import type { Call } from '../kit/page.ts'
import { formatMessage, plural, t, tHtml } from '../locales/translate.ts'
import { showExceptionalStatus } from '../search/choosers.ts'
import { formatDayAndTime, formatTimeBeside } from '../time/instants.ts'
import { formatZone } from '../time/zones.ts'
import { showLinkOrText } from '../ui/links.ts'
import { type Column, table } from '../ui/tables.ts'
import { formatFirst } from '../ui/words.ts'
import { addLink, changed, encodeChoice, removeLink, type SelectionQuery } from './attendee-selection.ts'
import type { MeetingTime } from './meeting-time.ts'
import type { OfferedRoom, RoomList } from './rooms.ts'

const OTHERS_NAMED = 3

export type Alternatives = { room: OfferedRoom; free: FreeBookable[] }
type Choosing = Call<unknown, SelectionQuery>

export function showRooms(call: Choosing, { rooms, hasMore }: RoomList, time: MeetingTime): Html {
  const none = html`<p><strong>${t`No rooms found.`}</strong></p><p>${t`Rooms are optional.`}</p>`
  const more = showLinkOrText(call.linkHere({ all: 'true' }), t`show more`, { 'data-all': true })
  return html`${describeTime(time)}${describeOtherZones(rooms, time)}
${table(t`Rooms`, columns(call), rooms, none)}
${hasMore && html`<p class="soft">${tHtml`There are more rooms. Choose a building or search by name, or ${more}.`}</p>`}`
}

function describeTime({ span, problem, entered }: MeetingTime): Content {
  if (!span) return problem !== undefined && html`<p class="notice warn">${formatMessage(problem)}</p>`
  const { from, to } = span
  const { zone } = entered
  const times = t`${formatDayAndTime(from, zone)} to ${formatTimeBeside(to, from, zone)}`
  return html`<p>${times} <span class="soft">${formatZone(zone)}</span></p>`
}

// Adding a room does not change the time zone: the times would change with it, unnoticed.
function describeOtherZones(rooms: OfferedRoom[], { entered }: MeetingTime): Content {
  const others = rooms.filter(({ isChosen, zone }) => isChosen && zone !== entered.zone)
  const named = others.map((room) => t`${room.name} is in ${formatZone(room.zone)}`)
  return named.length > 0 && html`<p class="soft">${formatFirst(named, OTHERS_NAMED)}.</p>`
}

function columns(call: Choosing): Column<OfferedRoom>[] {
  return [
    {
      label: t`Name`,
      isHead: true,
      show: (room) =>
        html`${room.name} ${showExceptionalStatus({ ...room, isDeleted: room.isDeleted === true })}`,
    },
    {
      label: t`Capacity`,
      isShort: true,
      show: ({ capacity, isTooSmall }) =>
        html`${capacity === null ? html`<span class="soft">${t`unknown`}</span>` : plural(capacity, '# person', '# people')} ${isTooSmall && html`<span class="badge warn">${t`too small`}</span>`}`,
    },
    { label: t`Location`, show: ({ location, building }) => `${location}, ${building}` },
    { label: t`At that time`, isShort: true, show: showState },
    { label: t`Choose`, isTools: true, show: (room) => showChoice(call, room) },
  ]
}

function showState({ state, status }: OfferedRoom): Content {
  if (state === 'free') return html`<span class="badge good">${t`free`}</span>`
  if (state === 'taken') return html`<span class="badge bad">${t`taken`}</span>`
  if (state === undefined) return null
  return html`<span class="badge warn">${isAgainstRule(status) ? t`breaks a rule` : t`cannot be booked`}</span>`
}

// If a room is neither blocked nor assigned, only a rule can forbid the booking.
const isAgainstRule = (status: number) => status === BOOKABLE_STATUSES.flexible

// A room that its rules forbid can still be added: rules may be overridden.
function showChoice(call: Choosing, { id, name, state, status, isChosen }: OfferedRoom): Content {
  const choice = { id: `room-${id}`, code: encodeChoice('rooms', id), name }
  if (isChosen) return removeLink(call, choice)
  return (
    (state === undefined || state === 'free' || (state === 'unavailable' && isAgainstRule(status))) &&
    addLink(call, choice)
  )
}

/** Inside the form, so that without scripts a swap also sends the typed values. A script only swaps. */
export function showAlternativesToTaken(call: Choosing, taken: Alternatives[]): Content {
  if (taken.length === 0) return null
  // Enter in a field presses the first button of its form, which must not be one that swaps rooms.
  return html`<button class="unseen" tabindex="-1" aria-hidden="true">${t`Save`}</button>
${taken.map((each) => showAlternativesTo(call, each))}`
}

function showAlternativesTo(call: Choosing, { room, free }: Alternatives): Html {
  const drop = encodeChoice('rooms', room.id)
  const buttons = free.map(({ id, name, location, capacity }) => {
    const add = encodeChoice('rooms', id)
    const address = call.linkHere(changed(call.query, { add, drop }))
    const size = capacity === null ? '' : `, ${plural(capacity, '# person', '# people')}`
    return html`<li><button class="button quiet" formaction="${address}" data-add="${add}" data-drop="${drop}" data-name="${name}">${t`Use ${name} instead`}</button>
<small>${location}${size}</small></li>`
  })
  return html`<div class="notice warn"><p>${t`${room.name} is taken at that time.`}${free.length === 0 && html` ${t`No other room that is large enough is free in its building.`}`}</p>${free.length > 0 && html`<ul class="swaps">${buttons}</ul>`}</div>`
}
