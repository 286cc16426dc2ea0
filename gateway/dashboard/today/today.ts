// Today: what is taken at this moment, what is going on, and how full the days and hours are.
import { includesRole } from '../../../shared/contracts/administrators/roles.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { type Call, page } from '../framework/page.ts'
import { describePresent, type People, showPresentPeople } from '../people/present-people.ts'
import { listAcceptedJobs } from '../queues/accepted-jobs.ts'
import { type Finding, findHealth } from '../queues/health.ts'
import { acceptedColumns } from '../queues/queue-health.ts'
import { formatDate } from '../time/dates.ts'
import { showTime } from '../time/instants.ts'
import { formatZone } from '../time/zones.ts'
import { card } from '../ui/cards.ts'
import { barChart, shareBar } from '../ui/charts.ts'
import { type Column, table } from '../ui/tables.ts'
import { formatCount, formatNumber } from '../ui/words.ts'
import { showDisabledWebhooks } from '../webhooks/disabled-notice.ts'
import { showFirstSteps } from './first-steps.ts'
import { type BuildingNow, findNow, findWeeks, type LocationNow, type Share } from './queries.ts'

const LOCATIONS_MAX = 60

export const today = page({
  path: '/',
  title: 'Today',
  section: 'Today',
  readers: 'reader',
  live: {
    now: { everySeconds: 3, show: showNow },
    weeks: { everySeconds: 30, show: showWeeks },
    places: { everySeconds: 3, show: showPlaces },
    system: { everySeconds: 10, show: showSystem },
  },
  async show(call) {
    const parts = await Promise.all([
      call.live('now'),
      call.live('places'),
      call.live('weeks'),
      call.live('system'),
    ])
    return {
      lead: 'This page updates itself.',
      content: html`${parts}`,
      showsSystemStatus: true,
    }
  },
})

async function showNow(call: Call): Promise<Html> {
  const [buildings, { findings }, accepted, steps, disabledWebhooks] = await Promise.all([
    findNow(call.services),
    findHealth(call.services),
    listAcceptedJobs(call.reads),
    showFirstSteps(call),
    showDisabledWebhooks(call),
  ])
  const [finding] = findings
  return html`${finding?.tone !== 'good' && healthNotice(call, finding)}${disabledWebhooks}
${steps}${buildings.length === 0 ? noBuildings(call) : figures(buildings)}
${
  accepted.length > 0 && card('Imports and exports', table('In progress', acceptedColumns(), accepted, null))
}`
}

async function showSystem(call: Call): Promise<Html> {
  const { findings } = await findHealth(call.services)
  const [finding] = findings
  return html`${finding?.tone === 'good' && healthNotice(call, finding)}`
}

async function showPlaces(call: Call): Promise<Html> {
  const buildings = await findNow(call.services)
  const locations = buildings.flatMap((building) => building.locations)
  return html`${limitLocations(buildings).map((building) => buildingCard(call, building))}
${locations.length > LOCATIONS_MAX && html`<p class="soft">${locations.length - LOCATIONS_MAX} more locations are in <a href="${call.link('/places')}">Places</a>.</p>`}`
}

function healthNotice(call: Call, finding: Finding | undefined): Content {
  if (!finding) return null
  const mayLook = includesRole(call.requireAdmin().role, 'administrator')
  const more = mayLook && html`<a href="${call.link('/queue-health')}">Queues</a>`
  if (finding.tone === 'good') return html`<p class="soft">All systems normal. ${more}</p>`
  return html`<div class="notice ${finding.tone}" role="status"><p>${finding.sentence} ${more}</p></div>`
}

function noBuildings(call: Call): Html {
  return html`<div class="empty"><p><strong>No buildings yet.</strong></p>
<p>Create one in <a href="${call.link('/places')}">Places</a>, then add its floors and what can be booked there.</p></div>`
}

function figures(buildings: BuildingNow[]): Html {
  const locations = buildings.flatMap((building) => building.locations)
  const sum = (of: (location: LocationNow) => Share): Share => ({
    taken: locations.reduce((total, location) => total + of(location).taken, 0),
    total: locations.reduce((total, location) => total + of(location).total, 0),
  })
  const number = buildings.reduce((total, { bookingsToday }) => total + bookingsToday, 0)
  const inside = sumPeople(buildings.map(({ people }) => people.inside))
  const home = sumPeople(buildings.map(({ people }) => people.home))
  return html`<div class="grid figures">
<div class="card figure"><strong>${formatNumber(inside.today)}</strong> <span>${inside.today === 1 ? 'person' : 'people'} in today, ${formatNumber(inside.now)} now</span></div>
<div class="card figure"><strong>${formatNumber(home.today)}</strong> <span>at home today, ${formatNumber(home.now)} now</span></div>
${figure(
  'desks taken now',
  sum(({ desks }) => desks),
)}
${figure(
  'parking spots taken now',
  sum(({ spots }) => spots),
)}
${figure(
  'rooms taken now',
  sum(({ rooms }) => rooms),
)}
<div class="card figure"><strong>${formatNumber(number)}</strong> <span>${number === 1 ? 'booking starts' : 'bookings start'} today</span></div></div>`
}

function sumPeople(groups: People[]): Pick<People, 'today' | 'now'> {
  return {
    today: groups.reduce((sum, { today }) => sum + today, 0),
    now: groups.reduce((sum, { now }) => sum + now, 0),
  }
}

function figure(words: string, share: Share): Html {
  return html`<div class="card figure"><strong>${formatShare(share)}</strong> <span>${words}</span>${shareBar(share)}</div>`
}

function buildingCard(call: Call, building: BuildingNow): Html {
  const id = `building-${building.id}`
  const kinds: Array<[string, (location: LocationNow) => Share]> = [
    ['Desks', ({ desks }) => desks],
    ['Parking', ({ spots }) => spots],
    ['Rooms', ({ rooms }) => rooms],
  ]
  const columns: Column<LocationNow>[] = [
    {
      label: 'Location',
      isHead: true,
      show: ({ id, name }) => html`<a href="${call.link('/map', { location: id })}">${name}</a>`,
    },
    {
      label: 'In today',
      show: ({ id, name }) =>
        showPresentPeople(call, building.people.locations.get(id), { building: building.id, place: name }),
    },
    ...kinds.map(([label, of]) => ({ label, show: (location: LocationNow) => shareCell(of(location)) })),
  ]
  const { bookingsToday: number, timezone, people } = building
  const home =
    people.home.today > 0 &&
    html`<p class="at-home"><strong>At home:</strong> ${showPresentPeople(call, people.home, { building: building.id })}</p>`
  return card(
    building.name,
    html`<p>${describePresent(people.inside)}</p>
<p class="soft">Local time: ${showTime(call.now, timezone)} (${formatZone(timezone)}). ${formatStarts(number)} today.</p>
${home}${table(`Taken now in ${building.name}`, columns, building.locations, 'No locations yet.')}`,
    id,
  )
}

function shareCell(share: Share): Content {
  if (share.total === 0) return html`<span class="soft">none</span>`
  return html`<span class="share-words">${formatShare(share)}</span>${shareBar(share)}`
}

async function showWeeks(call: Call): Promise<Html> {
  const { days, today: now, hours, desks } = await findWeeks(call.services)
  const total = days.reduce((sum, { number }) => sum + number, 0)
  if (total === 0 && desks === 0) return html``
  const busiest = hours.reduce((best, each) => (each.taken > best.taken ? each : best), { hour: 0, taken: 0 })
  return html`<div class="grid charts">
${barChart({
  title: 'Bookings per day',
  summary: `${formatStarts(total)} in these four weeks.`,
  columns: ['Day', 'Bookings'],
  bars: days.map(({ day, number }, index) => ({
    label: formatDate(day, 'weekday'),
    value: number,
    isNow: day === now,
    ...(index % 7 === 6 ? { mark: day === now ? 'today' : formatDate(day, 'short') } : {}),
  })),
  format: formatNumber,
})}
${barChart({
  title: 'Desks by hour',
  summary:
    busiest.taken === 0
      ? 'No desks are taken today.'
      : `Busiest at ${formatHour(busiest.hour)}: ${formatShare({ taken: busiest.taken, total: desks })} desks.`,
  columns: ['Hour', 'Desks taken'],
  bars: hours.map(({ hour, taken }) => ({
    label: formatHour(hour),
    value: taken,
    ...(hour % 6 === 0 && hour > 0 ? { mark: formatHour(hour) } : {}),
  })),
  max: desks,
  format: (value) => (desks === 0 ? '0' : `${formatNumber(value)} (${Math.round((100 * value) / desks)} %)`),
})}</div><p class="soft">Days and hours are in the time zone of each building.</p>`
}

// Whole buildings, but no more locations than somebody looks at.
function limitLocations(buildings: BuildingNow[]): BuildingNow[] {
  let left = LOCATIONS_MAX
  return buildings.flatMap((building) => {
    const locations = building.locations.slice(0, left)
    left -= locations.length
    return locations.length > 0 || building.locations.length === 0 ? [{ ...building, locations }] : []
  })
}

function formatShare({ taken, total }: Share): string {
  return `${formatNumber(taken)} of ${formatNumber(total)}`
}

function formatStarts(number: number): string {
  return number === 0 ? 'No bookings start' : formatCount(number, 'booking starts', 'bookings start')
}

function formatHour(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}
