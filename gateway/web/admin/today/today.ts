// The Today page: who is in, what is free now, what takes place, and how full the days and hours are.
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { formatDate } from '../../pages/time/instants.ts'
import { showFigureCard, showShareBar } from '../../pages/ui/charts.ts'
import { formatNumber, showCard, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import { findHealth, type HealthFinding } from '../queues/health.ts'
import { listAcceptedJobs, showAcceptedJobs } from '../queues/queue-health.ts'
import { showDisabledWebhooks } from '../webhooks/webhooks.ts'
import { showBuildings } from './buildings.ts'
import { showFirstSteps } from './first-steps.ts'
import { showMeetings } from './meetings.ts'
import { type BuildingToday, findToday, type LocationToday, type TodayFigures } from './queries.ts'
import { showWeeks } from './weeks.ts'

export const todayPage = definePage({
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
  return html`${finding?.tone !== 'good' && showHealthNotice(call, finding)}${disabledWebhooks}
${steps}${now.buildings.length === 0 ? showNoBuildings(call) : showFigureCards(now)}
${accepted.length > 0 && showCard(t`Imports and exports`, showAcceptedJobs(accepted, now.zone, null))}`
}

async function showSystem(call: Call): Promise<Html> {
  const { findings } = await findHealth(call.services)
  const [finding] = findings
  return html`${finding?.tone === 'good' && showHealthNotice(call, finding)}`
}

function showHealthNotice(call: Call, finding: HealthFinding | undefined): Content {
  if (!finding) return null
  const more = showLink(call.link('/queue-health'), t`Queues`)
  if (finding.tone === 'good') return html`<p class="soft">${t`All systems normal.`} ${more}</p>`
  return showNotice(finding.tone, html`${finding.sentence} ${more}`)
}

function showNoBuildings(call: Call): Html {
  return showEmptyState(
    t`No buildings yet.`,
    tHtml`Create a building in ${showLinkOrText(call.link('/places'), t`Places`)}, then add its floors and what can be booked there.`,
  )
}

/**
 * Shows at most five cards, and leaves out empty ones. An open page reloads when the day changes, because the page's
 * title is the date.
 */
function showFigureCards({ buildings, meetings, date }: TodayFigures): Html {
  const people = sumBy(buildings, ({ people }) => people.inside.today)
  return html`<div class="grid figures"${formatAttributes({ 'data-date': date })}>
${showFigureCard(formatNumber(people), plural(people, 'person in today', 'people in today'), describePeople(buildings))}
${showFree(buildings, 'desks', (count) => plural(count, 'desk free now', 'desks free now'))}
${showFree(buildings, 'rooms', (count) => plural(count, 'room free now', 'rooms free now'))}
${showFree(buildings, 'spots', (count) => plural(count, 'parking spot free now', 'parking spots free now'))}
${meetings.today > 0 && showFigureCard(formatNumber(meetings.today), plural(meetings.today, 'meeting today', 'meetings today'), meetings.now > 0 && html`<small>${t`${formatNumber(meetings.now)} now`}</small>`)}</div>`
}

function describePeople(buildings: BuildingToday[]): Content {
  const [now, late] = [
    sumBy(buildings, ({ people }) => people.inside.now),
    sumBy(buildings, ({ people }) => people.inside.late),
  ]
  const home = sumBy(buildings, ({ people }) => people.home.today)
  const words = [
    now > 0 && t`${formatNumber(now)} now`,
    home > 0 && t`${formatNumber(home)} at home`,
    late > 0 && plural(late, '# not checked in', '# not checked in'),
  ]
  return html`<small>${words.filter(Boolean).join(' · ')}</small>`
}

function showFree(
  buildings: BuildingToday[],
  kind: 'desks' | 'rooms' | 'spots',
  describe: (count: number) => string,
): Content {
  const shares = buildings.flatMap(({ locations }) => locations.map((each: LocationToday) => each[kind]))
  const [count, total] = [sumBy(shares, (each) => each.free), sumBy(shares, (each) => each.total)]
  if (total === 0) return null
  const more = html`<small>${t`of ${formatNumber(total)}`}</small>${showShareBar(count / total)}`
  return showFigureCard(formatNumber(count), describe(count), more)
}

const sumBy = <Item>(items: readonly Item[], numberOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + numberOf(item), 0)
