// The rooms to choose for an event: first chosen rooms, then free rooms, then free rooms that are too small,
// and then all others. If a chosen room is taken, offers free rooms instead.
import type pg from 'pg'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { numberColumn, selectRows } from '../../../reads/rows/rows.ts'
import { formatMessage, plural, t, tHtml } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { type BookableChoice, searchBookables, showExceptionalStatus } from '../../pages/search/choices.ts'
import { formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { type Column, formatFirstItems, showLinkOrText, showTable } from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import { type FreeBookable, listFreeBookables, searchByName } from '../bookings/free-bookables.ts'
import { encodeChoice, type SelectionQuery, showChoiceLink, updateSelection } from './attendee-choices.ts'
import type { MeetingTime } from './meeting-time.ts'

const NAMED_OTHERS_MAX = 3

export type Alternatives = { room: ListedRoom; free: FreeBookable[] }
type RoomChoiceCall = Call<unknown, SelectionQuery>

export function showRooms(call: RoomChoiceCall, { rooms, hasMore }: RoomList, time: MeetingTime): Html {
  const none = showEmptyState(t`No rooms found.`, t`Rooms are optional.`)
  const more = showLinkOrText(call.linkHere({ all: 'true' }), t`show more`, { 'data-all': true })
  return html`${describeTime(time)}${describeOtherZones(rooms, time)}
${showTable(t`Rooms`, createColumns(call), rooms, none)}
${hasMore && html`<p class="soft">${tHtml`There are more rooms. Choose a building or search by name, or ${more}.`}</p>`}`
}

function describeTime({ span, problem, entered }: MeetingTime): Content {
  if (!span) return problem !== undefined && showNotice('warn', formatMessage(problem))
  const { from, to } = span
  const { zone } = entered
  const times = t`${formatDayAndTime(from, zone)} to ${formatTimeBeside(to, from, zone)}`
  return html`<p>${times} <span class="soft">${formatZone(zone)}</span></p>`
}

// Adding a room does not change the time zone, because that would silently change the times.
function describeOtherZones(rooms: ListedRoom[], { entered }: MeetingTime): Content {
  const others = rooms.filter(({ isChosen, zone }) => isChosen && zone !== entered.zone)
  const named = others.map((room) => t`${room.name} is in ${formatZone(room.zone)}`)
  return named.length > 0 && html`<p class="soft">${formatFirstItems(named, NAMED_OTHERS_MAX)}.</p>`
}

function createColumns(call: RoomChoiceCall): Column<ListedRoom>[] {
  return [
    { label: t`Name`, show: (room) => html`${room.name} ${showExceptionalStatus(room)}` },
    {
      label: t`Capacity`,
      isShort: true,
      show: ({ capacity, isTooSmall }) =>
        html`${capacity === null ? html`<span class="soft">${t`unknown`}</span>` : plural(capacity, '# person', '# people')} ${isTooSmall && html`<span class="badge warn">${t`too small`}</span>`}`,
    },
    { label: t`Floor`, show: ({ location, building }) => `${location}, ${building}` },
    { label: t`At that time`, isShort: true, show: showState },
    { label: t`Choose`, isTools: true, show: (room) => showChoiceButton(call, room) },
  ]
}

function showState({ state, status }: ListedRoom): Content {
  if (state === 'free') return html`<span class="badge good">${t`free`}</span>`
  if (state === 'taken') return html`<span class="badge bad">${t`taken`}</span>`
  if (state === undefined) return null
  return html`<span class="badge warn">${isForbiddenByRule(status) ? t`breaks a rule` : t`cannot be booked`}</span>`
}

// Returns whether a rule forbids the booking. This is the only remaining reason if the room is neither
// blocked nor assigned.
const isForbiddenByRule = (status: number) => status === BOOKABLE_STATUSES.flexible

// Shows a button that adds or removes the room. A room whose rules forbid the booking can still be added,
// because rules may be overridden.
function showChoiceButton(call: RoomChoiceCall, { id, name, state, status, isChosen }: ListedRoom): Content {
  const choice = { id: `room-${id}`, code: encodeChoice('rooms', id), name }
  if (isChosen) return showChoiceLink(call, 'drop', choice)
  return (
    (state === undefined || state === 'free' || (state === 'unavailable' && isForbiddenByRule(status))) &&
    showChoiceLink(call, 'add', choice)
  )
}

/** Shows alternatives inside the form, so that a swap without scripts also sends the typed values. With
 * scripts, a swap sends nothing else. */
export function showAlternativesToTaken(call: RoomChoiceCall, taken: Alternatives[]): Content {
  if (taken.length === 0) return null
  // Pressing Enter in a field activates the first button of its form, so the first button must not be one
  // that swaps rooms.
  return html`<button class="unseen" tabindex="-1" aria-hidden="true">${t`Save`}</button>
${taken.map((each) => showAlternativesTo(call, each))}`
}

function showAlternativesTo(call: RoomChoiceCall, { room, free }: Alternatives): Html {
  const drop = encodeChoice('rooms', room.id)
  const buttons = free.map(({ id, name, location, capacity }) => {
    const add = encodeChoice('rooms', id)
    const address = call.linkHere(updateSelection(call.query, { add, drop }))
    const size = capacity === null ? '' : `, ${plural(capacity, '# person', '# people')}`
    return html`<li><button class="button quiet" formaction="${address}" data-add="${add}" data-drop="${drop}" data-name="${name}">${t`Use ${name} instead`}</button>
<small>${location}${size}</small></li>`
  })
  return showNotice(
    'warn',
    html`${t`${room.name} is taken at that time.`}${free.length === 0 && html` ${t`No other room in the building is both free and large enough.`}`}`,
    free.length > 0 && html`<ul class="swaps">${buttons}</ul>`,
  )
}

const SHOWN_ROOMS_MAX = 30
const CANDIDATES_MAX = 150
const ROOM_TYPE = BOOKABLE_TYPES.meetingRoom

type ListedRoom = BookableChoice & {
  state: 'free' | 'taken' | 'unavailable' | undefined
  isChosen: boolean
  isTooSmall: boolean
}
export type RoomList = { rooms: ListedRoom[]; hasMore: boolean }

export type RoomSearch = {
  span: { from: string; to: string } | undefined
  chosen: BookableChoice[]
  people: number
  /** The organizer, because some rooms are only for certain people. */
  organizer: number | undefined
  /** The place where the organizer sits. Rooms near that place are listed first. */
  near: number | undefined
  /** The time zone of the event's times. If nothing is known about the organizer, rooms in this zone are
   * listed first. */
  zone: string
  building: number | undefined
  place: string | undefined
  all: boolean | undefined
  /** The event itself, whose own claims do not count as conflicts. */
  own: { event: number; rooms: number[] } | undefined
}

type RoomCandidate = BookableChoice & { isFree: boolean }

export async function listRooms(reads: pg.Pool, search: RoomSearch): Promise<RoomList> {
  const { span, chosen, people, near, zone, own, all } = search
  const chosenIds = new Set(chosen.map(({ id }) => id))
  const { found, hasMore } = span ? await listCandidates(reads, search, span) : { found: [], hasMore: false }
  const known = new Set(found.map(({ id }) => id))
  const candidates = [...chosen.filter(({ id }) => !known.has(id)).map(toCandidate), ...found]
  const taken = span && (await findRoomsTakenByOthers(reads, candidates, span, own?.event))
  const stateOf = ({ id, isFree }: RoomCandidate): ListedRoom['state'] => {
    if (!taken) return undefined
    if (taken.has(id)) return 'taken'
    return isFree || own?.rooms.includes(id) ? 'free' : 'unavailable'
  }
  const offered = candidates.map((room) => ({
    ...room,
    state: stateOf(room),
    isChosen: chosenIds.has(room.id),
    isTooSmall: isTooSmall(room, people),
  }))
  const isAway = (room: ListedRoom) => Number(near === undefined && room.zone !== zone)
  offered.sort((one, other) => computeRank(one) - computeRank(other) || isAway(one) - isAway(other))
  const shownMax = chosen.length + (all ? CANDIDATES_MAX : SHOWN_ROOMS_MAX)
  return { rooms: offered.slice(0, shownMax), hasMore: hasMore || offered.length > shownMax }
}

/** Returns whether the room is too small. A room of unknown capacity may be large enough. */
export const isTooSmall = ({ capacity }: Pick<BookableChoice, 'capacity'>, people: number): boolean =>
  capacity !== null && capacity < people

function computeRank({ isChosen, state, isTooSmall }: ListedRoom): number {
  if (isChosen) return 0
  if (state !== 'free') return 3
  return isTooSmall ? 2 : 1
}

const toCandidate = (room: BookableChoice): RoomCandidate => ({
  ...room,
  isFree: room.status !== BOOKABLE_STATUSES.blocked && !room.isDeleted,
})

/** Lists free rooms first. A search by name also shows rooms that are taken. */
async function listCandidates(
  reads: pg.Pool,
  { organizer, near, building, place }: RoomSearch,
  span: { from: string; to: string },
): Promise<{ found: RoomCandidate[]; hasMore: boolean }> {
  const where = { building, type: ROOM_TYPE }
  if (place !== undefined) {
    const { found, hasMore } = await searchByName(reads, place, where, span)
    return { found: found.map(toCandidate), hasMore }
  }
  const free = await listFreeBookables(reads, { ...where, user: organizer, near }, span, CANDIDATES_MAX)
  if (free.hasMore) return free
  const without = free.found.map(({ id }) => id)
  const others = await searchBookables(reads, '', { ...where, without, limit: SHOWN_ROOMS_MAX + 1 })
  return {
    found: [...free.found, ...others.slice(0, SHOWN_ROOMS_MAX).map((room) => ({ ...room, isFree: false }))],
    hasMore: others.length > SHOWN_ROOMS_MAX,
  }
}

async function findRoomsTakenByOthers(
  reads: pg.Pool,
  rooms: Array<{ id: number }>,
  { from, to }: { from: string; to: string },
  event: number | undefined,
): Promise<Set<number>> {
  const taken = await selectRows(
    reads,
    { id: numberColumn('bookable_id') },
    `bookings WHERE exclusive AND bookable_id = ANY($1) AND during && tstzrange($2, $3)
       AND (event_id IS NULL OR event_id IS DISTINCT FROM $4)`,
    [rooms.map(({ id }) => id), from, to, event],
  )
  return new Set(taken.map(({ id }) => id))
}
