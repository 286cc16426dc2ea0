// The rooms to choose for an event: chosen ones first, then free ones, then free ones that are too small for its
// people, then the rest. If a chosen room is taken, offers free ones instead.
import type pg from 'pg'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { number, selectRows } from '../../../reads/rows/rows.ts'
import { formatMessage, plural, t, tHtml } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { type BookableChoice, searchBookables, showExceptionalStatus } from '../../pages/search/choices.ts'
import { formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { type Column, formatFirst, showLinkOrText, table } from '../../pages/ui/parts.ts'
import { showEmpty, showNotice } from '../../pages/ui/states.ts'
import { type FreeBookable, listFree, searchByName } from '../bookings/free-bookables.ts'
import { choiceLink, encodeChoice, type SelectionQuery, updateSelection } from './attendee-choices.ts'
import type { MeetingTime } from './meeting-time.ts'

const OTHERS_NAMED = 3

export type Alternatives = { room: OfferedRoom; free: FreeBookable[] }
type Choosing = Call<unknown, SelectionQuery>

export function showRooms(call: Choosing, { rooms, hasMore }: RoomList, time: MeetingTime): Html {
  const none = showEmpty(t`No rooms found.`, t`Rooms are optional.`)
  const more = showLinkOrText(call.linkHere({ all: 'true' }), t`show more`, { 'data-all': true })
  return html`${describeTime(time)}${describeOtherZones(rooms, time)}
${table(t`Rooms`, columns(call), rooms, none)}
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
function describeOtherZones(rooms: OfferedRoom[], { entered }: MeetingTime): Content {
  const others = rooms.filter(({ isChosen, zone }) => isChosen && zone !== entered.zone)
  const named = others.map((room) => t`${room.name} is in ${formatZone(room.zone)}`)
  return named.length > 0 && html`<p class="soft">${formatFirst(named, OTHERS_NAMED)}.</p>`
}

function columns(call: Choosing): Column<OfferedRoom>[] {
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
  if (isChosen) return choiceLink(call, 'drop', choice)
  return (
    (state === undefined || state === 'free' || (state === 'unavailable' && isAgainstRule(status))) &&
    choiceLink(call, 'add', choice)
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
    const address = call.linkHere(updateSelection(call.query, { add, drop }))
    const size = capacity === null ? '' : `, ${plural(capacity, '# person', '# people')}`
    return html`<li><button class="button quiet" formaction="${address}" data-add="${add}" data-drop="${drop}" data-name="${name}">${t`Use ${name} instead`}</button>
<small>${location}${size}</small></li>`
  })
  return showNotice(
    'warn',
    html`${t`${room.name} is taken at that time.`}${free.length === 0 && html` ${t`No other room that is large enough is free in its building.`}`}`,
    free.length > 0 && html`<ul class="swaps">${buttons}</ul>`,
  )
}

const SHOWN = 30
const CANDIDATES_MAX = 150
const TYPE = BOOKABLE_TYPES.meetingRoom

type OfferedRoom = BookableChoice & {
  state: 'free' | 'taken' | 'unavailable' | undefined
  isChosen: boolean
  isTooSmall: boolean
}
export type RoomList = { rooms: OfferedRoom[]; hasMore: boolean }

export type RoomSearch = {
  span: { from: string; to: string } | undefined
  chosen: BookableChoice[]
  people: number
  /** The organizer: some rooms are only for certain people. */
  organizer: number | undefined
  /** Where the organizer sits: rooms near by come first. */
  near: number | undefined
  /** The time zone of the times: if nothing is known of the organizer, its rooms come first. */
  zone: string
  building: number | undefined
  place: string | undefined
  all: boolean | undefined
  /** The event itself: its own claims do not count as conflicts. */
  own: { event: number; rooms: number[] } | undefined
}

type Candidate = BookableChoice & { isFree: boolean }

export async function listRooms(reads: pg.Pool, search: RoomSearch): Promise<RoomList> {
  const { span, chosen, people, near, zone, own, all } = search
  const chosenIds = new Set(chosen.map(({ id }) => id))
  const { found, hasMore } = span ? await listCandidates(reads, search, span) : { found: [], hasMore: false }
  const known = new Set(found.map(({ id }) => id))
  const candidates = [...chosen.filter(({ id }) => !known.has(id)).map(asCandidate), ...found]
  const taken = span && (await findTakenByOthers(reads, candidates, span, own?.event))
  const stateOf = ({ id, isFree }: Candidate): OfferedRoom['state'] => {
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
  const isAway = (room: OfferedRoom) => Number(near === undefined && room.zone !== zone)
  offered.sort((one, other) => rankOf(one) - rankOf(other) || isAway(one) - isAway(other))
  const shownMax = chosen.length + (all ? CANDIDATES_MAX : SHOWN)
  return { rooms: offered.slice(0, shownMax), hasMore: hasMore || offered.length > shownMax }
}

/** A room of unknown capacity may be large enough. */
export const isTooSmall = ({ capacity }: Pick<BookableChoice, 'capacity'>, people: number): boolean =>
  capacity !== null && capacity < people

function rankOf({ isChosen, state, isTooSmall }: OfferedRoom): number {
  if (isChosen) return 0
  if (state !== 'free') return 3
  return isTooSmall ? 2 : 1
}

const asCandidate = (room: BookableChoice): Candidate => ({
  ...room,
  isFree: room.status !== BOOKABLE_STATUSES.blocked && !room.isDeleted,
})

/** Lists free rooms first. A search by name shows rooms whether or not they are free. */
async function listCandidates(
  reads: pg.Pool,
  { organizer, near, building, place }: RoomSearch,
  span: { from: string; to: string },
): Promise<{ found: Candidate[]; hasMore: boolean }> {
  const where = { building, type: TYPE }
  if (place !== undefined) {
    const { found, hasMore } = await searchByName(reads, place, where, span)
    return { found: found.map(asCandidate), hasMore }
  }
  const free = await listFree(reads, { ...where, user: organizer, near }, span, CANDIDATES_MAX)
  if (free.hasMore) return free
  const without = free.found.map(({ id }) => id)
  const others = await searchBookables(reads, '', { ...where, without, limit: SHOWN + 1 })
  return {
    found: [...free.found, ...others.slice(0, SHOWN).map((room) => ({ ...room, isFree: false }))],
    hasMore: others.length > SHOWN,
  }
}

async function findTakenByOthers(
  reads: pg.Pool,
  rooms: Array<{ id: number }>,
  { from, to }: { from: string; to: string },
  event: number | undefined,
): Promise<Set<number>> {
  const taken = await selectRows(
    reads,
    { id: number('bookable_id') },
    `bookings WHERE exclusive AND bookable_id = ANY($1) AND during && tstzrange($2, $3)
       AND (event_id IS NULL OR event_id IS DISTINCT FROM $4)`,
    [rooms.map(({ id }) => id), from, to, event],
  )
  return new Set(taken.map(({ id }) => id))
}
