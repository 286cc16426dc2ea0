// Shows a lobby as HTML: all floors in a list, each floor in full, and the meetings of today. A script shows
// one floor after another; without scripts, all floors are below each other.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Html, html } from '../../../html/html.ts'
import { shortenToWidth } from '../../../reads/map/fit-text.ts'
import { drawCell, findMapState, formatCellAttributes, formatTransform } from '../../../reads/map/picture.ts'
import { plural, t } from '../../locales/translate.ts'
import { createMapLayout } from '../../pages/map/canvas.ts'
import { formatTimeBeside } from '../../pages/time/instants.ts'
import { describeFreeShares } from '../../pages/ui/free-share.ts'
import type { LobbyFloor, LobbyMeeting, LobbyPerson, LobbyScreen, LobbySeat } from './queries.ts'

const NAMED_PEOPLE_MAX = 36
// The maximum number of names in large letters. More names are shown in smaller letters.
const LARGE_NAMES_MAX = 16

export function showLobby({ lobby, showsNames }: LobbyScreen, now: string): Html {
  const { meetings, zone } = lobby
  const floors = lobby.floors.filter(({ seats }) => seats.length > 0)
  const seen = { zone, showsNames, now }
  return html`<div class="lobby">
<ol class="lobby-floors">${floors.map((floor) => html`<li>${showFigures(floor)}</li>`)}</ol>
<div class="lobby-stage">${floors.map((floor) => showFloor(floor, showsNames))}</div>
${
  meetings.length > 0 &&
  html`<section class="lobby-meetings" aria-label="${t`Meetings today`}"><h2>${t`Meetings today`}</h2>
<ol>${meetings.map((each) => showMeeting(each, seen))}</ol></section>`
}
</div>`
}

function showFigures({ name, people, seats }: LobbyFloor): Html {
  const { desk: desks, meetingRoom: rooms, parkingSpot: spots } = BOOKABLE_TYPES
  const free = describeFreeShares({
    desks: countFree(seats, desks),
    rooms: countFree(seats, rooms),
    spots: countFree(seats, spots),
  })
  return html`<strong>${name}</strong> <b>${plural(people.length, '# in', '# in')}</b> <span>${free}</span>`
}

function countFree(seats: LobbySeat[], type: number) {
  const own = seats.filter((each) => each.type === type && each.status !== BOOKABLE_STATUSES.blocked)
  const isFree = (seat: LobbySeat) => findMapState(seat).label === 'free'
  return { free: own.filter(isFree).length, total: own.length }
}

function showFloor(floor: LobbyFloor, showsNames: boolean): Html {
  return html`<section class="lobby-floor" aria-label="${floor.name}"><h2>${floor.name}</h2>
<div class="lobby-plan">${drawFloor(floor)}</div>
${showsNames && showPeople(floor.people)}</section>`
}

/** Draws a floor. The address of its picture is relative to the screen's address, whose secret is unknown here. */
function drawFloor({ id, name, seats, plan }: LobbyFloor): Html {
  const layout = createMapLayout(
    plan ? { ...plan, address: `?floor_plan=${id}&version=${plan.hash}` } : undefined,
    seats,
  )
  const words: Record<string, string> = {
    free: t`free`,
    occupied: t`taken`,
    blocked: t`blocked`,
    assigned: t`assigned`,
  }
  const describe = (seat: LobbySeat) => (seat.occupied && seat.who) || (words[findMapState(seat).label] ?? '')
  const cells = seats.map((seat) => {
    const text = shortenToWidth(describe(seat), 120, 12)
    return html`<g class="cell" data-bookable="${seat.id}" data-state="${findMapState(seat).label}" transform="${formatTransform(layout, seat)}"><title>${seat.name}: ${describe(seat)}</title><g aria-hidden="true">${drawCell(seat, text, false, layout.sizeOf(seat))}</g></g>`
  })
  return html`<svg viewBox="0 0 ${layout.width} ${layout.height}">${layout.background}<g role="group" aria-label="${name}"${formatCellAttributes()}>${cells}</g></svg>`
}

function showPeople(people: LobbyPerson[]): Html {
  const named = people.filter(({ who }) => who !== null).slice(0, NAMED_PEOPLE_MAX)
  const more = people.length - named.length
  return html`<ul class="lobby-people${named.length > LARGE_NAMES_MAX && ' many'}">${named.map(
    ({ who, isNow }) => html`<li>${who}${!isNow && html` <small>${t`later`}</small>`}</li>`,
  )}${more > 0 && html`<li><small>${named.length > 0 ? plural(more, 'and # more', 'and # more') : plural(more, '# person', '# people')}</small></li>`}</ul>`
}

type LobbyView = { zone: string; showsNames: boolean; now: string }

function showMeeting(
  { from, to, title, who, rooms }: LobbyMeeting,
  { zone, showsNames, now }: LobbyView,
): Html {
  const what = showsNames ? (title ?? who ?? t`Someone`) : t`Taken`
  return html`<li${from <= now && html` class="now"`}><span class="lobby-time">${formatTimeBeside(from, now, zone)}–${formatTimeBeside(to, from, zone)}</span>
<strong>${what}</strong> ${showsNames && title !== null && who !== null && html`<span>${who}</span>`} <span>${rooms.join(' · ')}</span></li>`
}
