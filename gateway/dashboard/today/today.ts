// The Today page: what is taken now, what is in progress, and how full days and hours are.
import { type Content, type Html, html } from '../../http/html.ts'
import { type Call, page } from '../kit/page.ts'
import { plural, sentence, t, tHtml, translate } from '../locales/translate.ts'
import { describePresent, showPresentPeople } from '../people/present-people.ts'
import { type Finding, findHealth } from '../queues/health.ts'
import { listAcceptedJobs, showAcceptedJobs } from '../queues/queue-health.ts'
import { findCommonZone } from '../search/choices.ts'
import { formatDate, showTime } from '../time/instants.ts'
import { formatZone } from '../time/zones.ts'
import { barChart, formatHour, shareBar } from '../ui/charts.ts'
import { type Column, card, formatNumber, showLink, showLinkOrText, table } from '../ui/parts.ts'
import { showDisabledWebhooks } from '../webhooks/webhooks.ts'
import { showFirstSteps } from './first-steps.ts'
import { type BuildingNow, findNow, findWeeks, type LocationNow, type Share } from './queries.ts'

const LOCATIONS_MAX = 60

export const today = page({
  path: '/',
  title: sentence`Today`,
  section: 'Today',
  readers: 'reader',
  live: {
    now: { everySeconds: 3, show: showNow },
    weeks: { everySeconds: 30, show: showWeeks },
    places: { everySeconds: 3, show: showPlaces },
    system: { everySeconds: 10, show: showSystem },
  },
  async show(call) {
    const parts = await Promise.all(['now', 'places', 'weeks', 'system'].map((name) => call.live(name)))
    return {
      lead: t`This page updates automatically.`,
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
  accepted.length > 0 &&
  card(t`Imports and exports`, showAcceptedJobs(accepted, await findCommonZone(call.reads), null))
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
${locations.length > LOCATIONS_MAX && html`<p class="soft">${moreLocations(call, locations.length - LOCATIONS_MAX)}</p>`}`
}

function moreLocations(call: Call, more: number): Html {
  const places = showLinkOrText(call.link('/places'), t`Places`)
  return more === 1
    ? tHtml`One more location is in ${places}.`
    : tHtml`${formatNumber(more)} more locations are in ${places}.`
}

function healthNotice(call: Call, finding: Finding | undefined): Content {
  if (!finding) return null
  const more = showLink(call.link('/queue-health'), t`Queues`)
  if (finding.tone === 'good') return html`<p class="soft">${t`All systems normal.`} ${more}</p>`
  return html`<div class="notice ${finding.tone}" role="status"><p>${finding.sentence} ${more}</p></div>`
}

function noBuildings(call: Call): Html {
  return html`<div class="empty"><p><strong>${t`No buildings yet.`}</strong></p>
<p>${tHtml`Create one in ${showLinkOrText(call.link('/places'), t`Places`)}, then add its floors and what can be booked there.`}</p></div>`
}

const KINDS = {
  desks: sentence`desks taken now`,
  spots: sentence`parking spots taken now`,
  rooms: sentence`rooms taken now`,
}
type KindName = keyof typeof KINDS

function figures(buildings: BuildingNow[]): Html {
  const locations = buildings.flatMap((building) => building.locations)
  const share = (kind: KindName): Share => ({
    taken: sumOf(locations, (location) => location[kind].taken),
    total: sumOf(locations, (location) => location[kind].total),
  })
  const presence = (where: 'inside' | 'home', when: 'today' | 'now') =>
    sumOf(buildings, ({ people }) => people[where][when])
  const [inside, home] = [presence('inside', 'today'), presence('home', 'today')]
  const [insideNow, homeNow] = [
    formatNumber(presence('inside', 'now')),
    formatNumber(presence('home', 'now')),
  ]
  const begun = sumOf(buildings, ({ bookingsToday }) => bookingsToday)
  return html`<div class="grid figures">
${figure(formatNumber(inside), plural(inside, 'person in today, {0} now', 'people in today, {0} now', insideNow))}
${figure(formatNumber(home), t`at home today, ${homeNow} now`)}
${Object.entries(KINDS).map(([kind, words]) => {
  const shown = share(kind as KindName)
  return figure(formatShare(shown), translate(words), shareBar(shown))
})}
${figure(formatNumber(begun), plural(begun, 'booking starts today', 'bookings start today'))}</div>`
}

const sumOf = <Item>(items: readonly Item[], numberOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + numberOf(item), 0)

const figure = (number: string, words: string, more?: Html): Html =>
  html`<div class="card figure"><strong>${number}</strong> <span>${words}</span>${more}</div>`

function buildingCard(call: Call, building: BuildingNow): Html {
  const id = `building-${building.id}`
  const columns: Column<LocationNow>[] = [
    { label: t`Location`, show: ({ id, name }) => showLinkOrText(call.link('/map', { location: id }), name) },
    {
      label: t`In today`,
      show: ({ id, name }) =>
        showPresentPeople(call, building.people.locations.get(id), { building: building.id, place: name }),
    },
    { label: t`Desks`, show: ({ desks }) => shareCell(desks) },
    { label: t`Parking`, show: ({ spots }) => shareCell(spots) },
    { label: t`Rooms`, show: ({ rooms }) => shareCell(rooms) },
  ]
  const { bookingsToday: number, timezone, people } = building
  const home =
    people.home.today > 0 &&
    html`<p class="at-home"><strong>${t`At home:`}</strong> ${showPresentPeople(call, people.home, { building: building.id })}</p>`
  return card(
    building.name,
    html`<p>${describePresent(people.inside)}</p>
<p class="soft">${tHtml`Local time: ${showTime(call.now, timezone)} (${formatZone(timezone)}).`} ${describeToday(number)}</p>
${home}${table(t`Taken now in ${building.name}`, columns, building.locations, t`No locations yet.`)}`,
    id,
  )
}

function shareCell(share: Share): Content {
  if (share.total === 0) return html`<span class="soft">${t`none`}</span>`
  return html`<span class="share-words">${formatShare(share)}</span>${shareBar(share)}`
}

async function showWeeks(call: Call): Promise<Html> {
  const { days, today: now, hours, desks } = await findWeeks(call.services)
  const total = sumOf(days, ({ number }) => number)
  if (total === 0 && desks === 0) return html``
  const busiest = hours.reduce((best, each) => (each.taken > best.taken ? each : best), { hour: 0, taken: 0 })
  return html`<div class="grid charts">
${barChart({
  title: t`Bookings per day`,
  summary: describeWeeks(total),
  columns: [t`Day`, t`Bookings`],
  bars: days.map(({ day, number }, index) => ({
    label: formatDate(day, 'weekday'),
    value: number,
    isNow: day === now,
    ...(index % 7 === 6 ? { mark: day === now ? t`today` : formatDate(day, 'short') } : {}),
  })),
  format: formatNumber,
})}
${barChart({
  title: t`Desks by hour`,
  summary:
    busiest.taken === 0
      ? t`No desks are taken today.`
      : t`Busiest at ${formatHour(busiest.hour)}: ${formatNumber(busiest.taken)} of ${formatNumber(desks)} desks.`,
  columns: [t`Hour`, t`Desks taken`],
  bars: hours.map(({ hour, taken }) => ({
    label: formatHour(hour),
    value: taken,
    ...(hour % 6 === 0 && hour > 0 ? { mark: formatHour(hour) } : {}),
  })),
  max: desks,
  format: (value) => (desks === 0 ? '0' : `${formatNumber(value)} (${Math.round((100 * value) / desks)} %)`),
})}</div><p class="soft">${t`Days and hours are in the time zone of each building.`}</p>`
}

// Lists building by building, but no more locations than a user would look at.
function limitLocations(buildings: BuildingNow[]): BuildingNow[] {
  let left = LOCATIONS_MAX
  return buildings.flatMap((building) => {
    const locations = building.locations.slice(0, left)
    left -= locations.length
    return locations.length > 0 || building.locations.length === 0 ? [{ ...building, locations }] : []
  })
}

const formatShare = ({ taken, total }: Share): string => t`${formatNumber(taken)} of ${formatNumber(total)}`

function describeToday(bookings: number): string {
  if (bookings === 0) return t`No bookings start today.`
  return plural(bookings, '# booking starts today.', '# bookings start today.')
}

function describeWeeks(bookings: number): string {
  if (bookings === 0) return t`No bookings start in these four weeks.`
  return plural(bookings, '# booking starts in these four weeks.', '# bookings start in these four weeks.')
}
