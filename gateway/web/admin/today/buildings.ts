// Shows the buildings on the Today page: one line per building and, when it is open, who is in on each floor
// and what is free there. If there are a few buildings, all are open. If there are many, only the fullest is
// open. If there are very many, they link to their pages instead, so that this page stays small.
import { type Html, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatTime } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { describeFreeShares } from '../../pages/ui/free-share.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import { showPresentPeople } from '../people/present-people.ts'
import { type BuildingToday, findToday, type LocationToday } from './queries.ts'

const OPEN_BUILDINGS_MAX = 3

const SHOWN_FLOORS_MAX = 60

// The maximum number of names per floor, for all open floors, and for all open floors if there are very many
// buildings.
const NAMES_PER_FLOOR_MIN = 3

const NAMES_MAX = 120

const NAMES_BESIDE_MANY_BUILDINGS_MAX = 30

export async function showBuildings(call: Call): Promise<Html> {
  const { buildings, zone } = await findToday(call.services)
  const isFew = buildings.length <= OPEN_BUILDINGS_MAX
  const fullest = [...buildings].sort((one, other) => other.people.inside.today - one.people.inside.today)
  const opened = isFew ? buildings : fullest.slice(0, 1)
  const openFloors = countFloors(opened)
  const hasRoom = countFloors(buildings) <= SHOWN_FLOORS_MAX
  const names = hasRoom ? NAMES_MAX : NAMES_BESIDE_MANY_BUILDINGS_MAX
  const namedMax = Math.max(NAMES_PER_FLOOR_MIN, Math.floor(names / Math.max(1, openFloors)))
  const shown = buildings.map((building) => {
    const summary = describeBuilding(call, building, zone)
    if (opened.includes(building)) return showBuilding(call, building, summary, namedMax)
    return hasRoom ? showBuilding(call, building, summary, 0) : linkBuilding(call, building, summary)
  })
  return html`${shown}`
}

const countFloors = (buildings: BuildingToday[]) =>
  buildings.reduce((sum, { locations }) => sum + locations.length, 0)

const linkBuilding = (call: Call, { id, name }: BuildingToday, summary: string): Html =>
  html`<p class="card building">${showLinkOrText(call.link(`/places/buildings/${id}`), html`<strong>${name}</strong> <span class="soft">${summary}</span>`)}</p>`

/** Shows a building. If `namedMax` is 0, floors show only numbers. */
function showBuilding(call: Call, building: BuildingToday, summary: string, namedMax: number): Html {
  const { id, name, people, locations } = building
  const floors = locations.slice(0, SHOWN_FLOORS_MAX)
  const more = locations.length - floors.length
  const home =
    namedMax > 0 &&
    people.home.today > 0 &&
    html`<li><span>${t`At home`}</span>${showPresentPeople(call, people.home, { building: id }, namedMax)}</li>`
  const link = (words: string) => showLinkOrText(call.link(`/places/buildings/${id}`), words)
  return html`<details class="card building" id="building-${id}"${namedMax > 0 && html` open`}>
<summary><h2>${name}</h2> <span class="soft">${summary}</span></summary>
<ul class="floors">${floors.map((floor) => showFloor(call, building, floor, namedMax))}${home}
${more > 0 && html`<li>${link(plural(more, '# more floor', '# more floors'))}</li>`}
${locations.length === 0 && html`<li>${link(t`No floors yet.`)}</li>`}</ul></details>`
}

function showFloor(
  call: Call,
  { id: building, people }: BuildingToday,
  floor: LocationToday,
  namedMax: number,
) {
  const { id, name, desks, rooms, spots } = floor
  const present = people.locations.get(id)
  const names = namedMax > 0 && showPresentPeople(call, present, { building, place: name }, namedMax)
  const count = present && html` <small>${plural(present.today, '# in', '# in')}</small>`
  const free = describeFreeShares({ desks, rooms, spots })
  return html`<li><div>${showLinkOrText(call.link('/map', { location: id }), name)}${count}</div>${names}
${free !== '' && html`<span class="soft">${free}</span>`}</li>`
}

function describeBuilding(call: Call, building: BuildingToday, zone: string): string {
  const { people, locations, meetings, timezone } = building
  const { today, late } = people.inside
  const free = locations.reduce((sum, { desks }) => sum + desks.free, 0)
  const hasDesks = locations.some(({ desks }) => desks.total > 0)
  const parts = [
    today > 0 && plural(today, '# person in', '# people in'),
    late > 0 && plural(late, '# not checked in', '# not checked in'),
    hasDesks && (free === 0 ? t`no desk free` : plural(free, '# desk free', '# desks free')),
    meetings > 0 && plural(meetings, '# meeting', '# meetings'),
    timezone !== zone && `${formatTime(call.now, timezone)} (${formatZone(timezone)})`,
  ]
  return parts.filter(Boolean).join(' · ')
}
