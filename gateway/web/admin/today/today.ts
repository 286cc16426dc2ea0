// The Today page: who is in, what is free now, and what takes place; then how full days and hours are.
import { attributes, type Content, type Html, html } from '../../../html/html.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { type Call, page } from '../../pages/page/page.ts'
import { formatDate } from '../../pages/time/instants.ts'
import { figure, shareBar } from '../../pages/ui/charts.ts'
import { card, formatNumber, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmpty, showNotice } from '../../pages/ui/states.ts'
import { type Finding, findHealth } from '../queues/health.ts'
import { listAcceptedJobs, showAcceptedJobs } from '../queues/queue-health.ts'
import { showDisabledWebhooks } from '../webhooks/webhooks.ts'
import { showBuildings } from './buildings.ts'
import { showFirstSteps } from './first-steps.ts'
import { showMeetings } from './meetings.ts'
import { type BuildingToday, findToday, type LocationToday, type TodayFigures } from './queries.ts'
import { showWeeks } from './weeks.ts'

export const today = page({
  path: '/',
  title: sentence`Today`,
  section: 'Today',
  readers: 'reader',
  live: {
    now: { everySeconds: 3, show: showNow },
    buildings: { everySeconds: 3, show: showBuildings },
    meetings: { everySeconds: 15, show: showMeetings },
    weeks: { everySeconds: 30, show: showWeeks },
    system: { everySeconds: 10, show: showSystem },
  },
  async show(call) {
    const { date } = await findToday(call.services)
    const parts = ['now', 'buildings', 'meetings', 'weeks', 'system'].map((name) => call.live(name))
    const [now, buildings, meetings, ...rest] = await Promise.all(parts)
    return {
      title: formatDate(date, 'dayOfYear'),
      lead: t`This page updates automatically.`,
      content: html`${now}<div class="today">${buildings}${meetings}</div>${rest}`,
      showsSystemStatus: true,
    }
  },
})

async function showNow(call: Call): Promise<Html> {
  const [now, { findings }, accepted, steps, disabledWebhooks] = await Promise.all([
    findToday(call.services),
    findHealth(call.services),
    listAcceptedJobs(call.reads),
    showFirstSteps(call),
    showDisabledWebhooks(call),
  ])
  const [finding] = findings
  return html`${finding?.tone !== 'good' && healthNotice(call, finding)}${disabledWebhooks}
${steps}${now.buildings.length === 0 ? noBuildings(call) : figures(now)}
${accepted.length > 0 && card(t`Imports and exports`, showAcceptedJobs(accepted, now.zone, null))}`
}

async function showSystem(call: Call): Promise<Html> {
  const { findings } = await findHealth(call.services)
  const [finding] = findings
  return html`${finding?.tone === 'good' && healthNotice(call, finding)}`
}

function healthNotice(call: Call, finding: Finding | undefined): Content {
  if (!finding) return null
  const more = showLink(call.link('/queue-health'), t`Queues`)
  if (finding.tone === 'good') return html`<p class="soft">${t`All systems normal.`} ${more}</p>`
  return showNotice(finding.tone, html`${finding.sentence} ${more}`)
}

function noBuildings(call: Call): Html {
  return showEmpty(
    t`No buildings yet.`,
    tHtml`Create one in ${showLinkOrText(call.link('/places'), t`Places`)}, then add its floors and what can be booked there.`,
  )
}

/** At most five cards: empty ones are left out. An open page reloads on another day, because its title is the date. */
function figures({ buildings, meetings, date }: TodayFigures): Html {
  const people = sumOf(buildings, ({ people }) => people.inside.today)
  return html`<div class="grid figures"${attributes({ 'data-date': date })}>
${figure(formatNumber(people), plural(people, 'person in today', 'people in today'), describePeople(buildings))}
${free(buildings, 'desks', (count) => plural(count, 'desk free now', 'desks free now'))}
${free(buildings, 'rooms', (count) => plural(count, 'room free now', 'rooms free now'))}
${free(buildings, 'spots', (count) => plural(count, 'parking spot free now', 'parking spots free now'))}
${meetings.today > 0 && figure(formatNumber(meetings.today), plural(meetings.today, 'meeting today', 'meetings today'), meetings.now > 0 && html`<small>${t`${formatNumber(meetings.now)} now`}</small>`)}</div>`
}

function describePeople(buildings: BuildingToday[]): Content {
  const [now, late] = [
    sumOf(buildings, ({ people }) => people.inside.now),
    sumOf(buildings, ({ people }) => people.inside.late),
  ]
  const home = sumOf(buildings, ({ people }) => people.home.today)
  const words = [
    now > 0 && t`${formatNumber(now)} now`,
    home > 0 && t`${formatNumber(home)} at home`,
    late > 0 && plural(late, '# not checked in', '# not checked in'),
  ]
  return html`<small>${words.filter(Boolean).join(' · ')}</small>`
}

function free(
  buildings: BuildingToday[],
  kind: 'desks' | 'rooms' | 'spots',
  describe: (count: number) => string,
): Content {
  const shares = buildings.flatMap(({ locations }) => locations.map((each: LocationToday) => each[kind]))
  const [count, total] = [sumOf(shares, (each) => each.free), sumOf(shares, (each) => each.total)]
  if (total === 0) return null
  const more = html`<small>${t`of ${formatNumber(total)}`}</small>${shareBar(count / total)}`
  return figure(formatNumber(count), describe(count), more)
}

const sumOf = <Item>(items: readonly Item[], numberOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + numberOf(item), 0)
