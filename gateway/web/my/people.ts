// People: find a colleague, and who of the favourites and groups is in within the next working days, by floor.
import { object, text } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { SqlConditions, selectRows } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { type Call, page } from '../pages/page/page.ts'
import { CHOICES_MAX, findCommonZone } from '../pages/search/choices.ts'
import { localDate } from '../pages/time/fields.ts'
import { addDaysToDate, formatDate, formatWeekday } from '../pages/time/instants.ts'
import { searchForm } from '../pages/ui/forms.ts'
import { showLink, showLinkOrText } from '../pages/ui/parts.ts'
import { showEmpty } from '../pages/ui/states.ts'
import { tabs } from '../pages/ui/tabs.ts'
import { nextWorkingDays } from './week.ts'
import {
  COLLEAGUE,
  type Colleague,
  listCircle,
  listPresent,
  showFloors,
  showName,
  showPerson,
} from './who-is-in.ts'

const SHOWN_MAX = 60

export const people = page({
  path: '/people',
  title: sentence`People`,
  section: 'Colleagues',
  /** `from` is the first of the days, and `date` the one that is shown. */
  query: object({ q: text({ max: 255 }), from: localDate(), date: localDate() }),
  async show(call) {
    const { q } = call.query
    const search = html`<div class="card search">${searchForm(call, t`Search`, (fields) =>
      fields.search('q', t`Name or e-mail`, { required: true }),
    )}</div>`
    if (q !== undefined) return html`${search}${showFound(call, await findColleagues(call, q))}`
    return html`${search}${await showWeek(call)}`
  },
})

/** Finds one more than the page shows, to know whether there are more. */
async function findColleagues({ reads }: Call, words: string): Promise<Colleague[]> {
  const conditions = new SqlConditions()
  await conditions.addUserSearch(reads, words)
  const found = `colleagues AS users WHERE ${conditions.sql} ORDER BY name, id LIMIT ${CHOICES_MAX + 1}`
  return selectRows(reads, COLLEAGUE, found, conditions.values)
}

function showFound(call: Call, found: Colleague[]): Html {
  if (found.length === 0)
    return showEmpty(t`Nobody found.`, t`Try fewer letters. Some colleagues choose not to be listed.`)
  return html`<section class="card my-floor" aria-label="${t`People found`}"><ul>${found
    .slice(0, CHOICES_MAX)
    .map(
      (each) => html`<li>${showLinkOrText(call.link(`/people/${each.id}`), showName(each))}</li>`,
    )}</ul></section>
${found.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}`
}

async function showWeek(
  call: Call<unknown, { from?: string | undefined; date?: string | undefined }>,
): Promise<Html> {
  const zone = await findCommonZone(call.reads)
  const { from, date: wanted = '' } = call.query
  const week = nextWorkingDays(call.now, zone, from)
  const days = wanted > (week.at(-1)?.date ?? '') ? nextWorkingDays(call.now, zone, wanted) : week
  const chosen = Math.max(
    0,
    days.findIndex(({ date }) => date === wanted),
  )
  const circle = await listCircle(call, days, chosen)
  if (circle.length === 0)
    return showEmpty(
      t`You have no favourites and no groups yet.`,
      t`Search for a colleague and add them to your favourites.`,
    )
  const items = days.map(({ date }, index) => ({
    label: formatWeekday(new Date(date).getUTCDay(), 'short'),
    address: call.linkHere({ from: days[0]?.date, date }),
    isCurrent: index === chosen,
    count: circle.filter(({ daysIn }) => daysIn.includes(index)).length,
  }))
  const shown = listPresent(circle)
  return html`<h2>${t`Who is in`}</h2>${tabs(t`Day`, items)}
<p>${days[0]?.isToday === false && showLink(call.link('/people'), t`Today`, { class: 'button quiet' })}
${showLink(call.link('/people', { from: addDaysToDate(days.at(-1)?.date ?? '', 1) }), t`Later days`, { class: 'button quiet' })}</p>
<p class="soft">${formatDate(days[chosen]?.date ?? '', 'full')}</p>
${shown.length === 0 ? showEmpty(t`Nobody from your favourites or groups so far.`) : showFloors(shown, (each) => showPerson(call, each, days[chosen]?.date), SHOWN_MAX)}
${showFavourites(call, circle)}`
}

function showFavourites(call: Call, circle: Colleague[]): Html | false {
  const favourites = circle.filter(({ isFavourite }) => isFavourite)
  return (
    favourites.length > 0 &&
    html`<h2>${t`Favourites`}</h2><section class="card my-floor" aria-label="${t`Favourites`}"><ul>${favourites.map(
      ({ id, name }) => html`<li>${showLinkOrText(call.link(`/people/${id}`), name)}</li>`,
    )}</ul></section>`
  )
}
