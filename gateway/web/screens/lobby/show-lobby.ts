// A lobby as HTML: all floors in a list, one after the other in full, and the meetings of today. A script shows the
// floors in turn; without scripts they stand below each other.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Html, html } from '../../../html/html.ts'
import { shorten } from '../../../reads/map/fit-text.ts'
import { stateOf } from '../../../reads/map/picture.ts'
import { plural, t } from '../../locales/translate.ts'
import { layoutOf, showCells } from '../../pages/map/canvas.ts'
import { formatTimeBeside } from '../../pages/time/instants.ts'
import { describeFree } from '../../pages/ui/free-share.ts'
import type { Floor, LobbyScreen, Meeting, Person, Seat } from './queries.ts'

const NAMED_MAX = 36
// More names than this are shown in smaller letters.
const LARGE_MAX = 16

export function showLobby({ lobby, saysWho }: LobbyScreen, now: string): Html {
  const { meetings, zone } = lobby
  const floors = lobby.floors.filter(({ seats }) => seats.length > 0)
  const seen = { zone, saysWho, now }
  return html`<div class="lobby">
<ol class="lobby-floors">${floors.map((floor) => html`<li>${showFigures(floor)}</li>`)}</ol>
<div class="lobby-stage">${floors.map((floor) => showFloor(floor, saysWho))}</div>
${
  meetings.length > 0 &&
  html`<section class="lobby-meetings" aria-label="${t`Meetings today`}"><h2>${t`Meetings today`}</h2>
<ol>${meetings.map((each) => showMeeting(each, seen))}</ol></section>`
}
</div>`
}

function showFigures({ name, people, seats }: Floor): Html {
  const { desk: desks, meetingRoom: rooms, parkingSpot: spots } = BOOKABLE_TYPES
  const free = describeFree({
    desks: shareOf(seats, desks),
    rooms: shareOf(seats, rooms),
    spots: shareOf(seats, spots),
  })
  return html`<strong>${name}</strong> <b>${plural(people.length, '# in', '# in')}</b> <span>${free}</span>`
}

function shareOf(seats: Seat[], type: number) {
  const own = seats.filter((each) => each.type === type && each.status !== BOOKABLE_STATUSES.blocked)
  const isFree = ({ occupied, status }: Seat) => !occupied && status === BOOKABLE_STATUSES.flexible
  return { free: own.filter(isFree).length, total: own.length }
}

function showFloor(floor: Floor, saysWho: boolean): Html {
  return html`<section class="lobby-floor" aria-label="${floor.name}"><h2>${floor.name}</h2>
<div class="lobby-plan">${drawFloor(floor)}</div>
${saysWho && showPeople(floor.people)}</section>`
}

/** The address of the picture is relative to that of the screen, whose secret is not known here. */
function drawFloor({ id, name, seats, plan }: Floor): Html {
  const layout = layoutOf(
    plan ? { ...plan, address: `?floor_plan=${id}&version=${plan.hash}` } : undefined,
    seats,
  )
  const words: Record<string, string> = {
    free: t`free`,
    occupied: t`taken`,
    blocked: t`blocked`,
    assigned: t`assigned`,
  }
  const describe = (seat: Seat) => (seat.occupied && seat.who) || (words[stateOf(seat).label] ?? '')
  const cells = showCells(layout, seats, {
    marked: undefined,
    label: name,
    describe,
    addressOf: () => undefined,
    format: (seat) => shorten(describe(seat), 120, 12),
  })
  return html`<svg viewBox="0 0 ${layout.width} ${layout.height}">${layout.background}${cells}</svg>`
}

function showPeople(people: Person[]): Html {
  const named = people.filter(({ who }) => who !== null).slice(0, NAMED_MAX)
  const more = people.length - named.length
  return html`<ul class="lobby-people${named.length > LARGE_MAX && ' many'}">${named.map(
    ({ who, isNow }) => html`<li>${who}${!isNow && html` <small>${t`later`}</small>`}</li>`,
  )}${more > 0 && html`<li><small>${named.length > 0 ? plural(more, 'and # more', 'and # more') : plural(more, '# person', '# people')}</small></li>`}</ul>`
}

type Seen = { zone: string; saysWho: boolean; now: string }

function showMeeting({ from, to, title, who, rooms }: Meeting, { zone, saysWho, now }: Seen): Html {
  const what = saysWho ? (title ?? who ?? t`Someone`) : t`Taken`
  return html`<li${from <= now && html` class="now"`}><span class="lobby-time">${formatTimeBeside(from, now, zone)}–${formatTimeBeside(to, from, zone)}</span>
<strong>${what}</strong> ${saysWho && title !== null && who !== null && html`<span>${who}</span>`} <span>${rooms.join(' · ')}</span></li>`
}
