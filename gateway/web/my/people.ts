// The People page, which finds a colleague, and shows which of the person's favourites and group members are in on the
// next working days, by floor.
import { object, text } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { SqlConditions, selectRows } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { CHOICES_MAX, findCommonZone } from '../pages/search/choices.ts'
import { localDate } from '../pages/time/fields.ts'
import { addDaysToDate, formatDate, formatWeekday } from '../pages/time/instants.ts'
import { showSearchForm } from '../pages/ui/forms.ts'
import { showLink, showLinkOrText } from '../pages/ui/parts.ts'
import { showEmptyState } from '../pages/ui/states.ts'
import { showTabs } from '../pages/ui/tabs.ts'
import { COLLEAGUE_COLUMNS, type Colleague, listFavouritesAndGroups } from './week/favourites-and-groups.ts'
import { showListedMax } from './week/show-people.ts'
import { listNextWorkingDays } from './week/working-days.ts'
import { listPresentColleagues, showAway, showFloors, showName, showPerson } from './who-is-in.ts'

const SHOWN_COLLEAGUES_MAX = 60

export const peoplePage = definePage({
  path: '/people',
  title: sentence`People`,
  section: 'Colleagues',
  /** `from` is the first of the days, and `date` is the day whose people are shown. */
  query: object({ q: text({ max: 255 }), from: localDate(), date: localDate() }),
  async show(call) {
    const { q } = call.query
    const search = html`<div class="card search">${showSearchForm(call, t`Search`, (fields) =>
      fields.search('q', t`Name or e-mail`, { required: true }),
    )}</div>`
    if (q !== undefined) return html`${search}${showFoundColleagues(call, await findColleagues(call, q))}`
    return html`${search}${await showWeek(call)}`
  },
})

/** Reads one colleague more than the page shows, to know whether there are more. */
async function findColleagues({ reads }: Call, words: string): Promise<Colleague[]> {
  const conditions = new SqlConditions()
  await conditions.addUserSearch(reads, words)
  const found = `colleagues AS users WHERE ${conditions.sql} ORDER BY name, id LIMIT ${CHOICES_MAX + 1}`
  return selectRows(reads, COLLEAGUE_COLUMNS, found, conditions.values)
}

function showFoundColleagues(call: Call, found: Colleague[]): Html {
  if (found.length === 0)
    return showEmptyState(t`Nobody found.`, t`Try fewer letters. Some colleagues choose not to be listed.`)
  return html`<section class="card my-floor" aria-label="${t`People found`}"><ul>${found
    .slice(0, CHOICES_MAX)
    .map(
      (each) =>
        html`<li>${showLinkOrText(call.link(`/people/${each.id}`), showName(each))}${showAway(each)}</li>`,
    )}</ul></section>
${found.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}`
}

async function showWeek(
  call: Call<unknown, { from?: string | undefined; date?: string | undefined }>,
): Promise<Html> {
  const zone = await findCommonZone(call.reads)
  const { from, date: wanted = '' } = call.query
  const week = listNextWorkingDays(call.now, zone, from)
  const days = wanted > (week.at(-1)?.date ?? '') ? listNextWorkingDays(call.now, zone, wanted) : week
  const chosen = Math.max(
    0,
    days.findIndex(({ date }) => date === wanted),
  )
  const colleagues = await listFavouritesAndGroups(call, days, chosen)
  if (colleagues.length === 0)
    return showEmptyState(
      t`You have no favourites or groups yet.`,
      t`Search for a colleague and add them to your favourites.`,
    )
  const items = days.map(({ date }, index) => ({
    label: formatWeekday(new Date(date).getUTCDay(), 'short'),
    address: call.linkHere({ from: days[0]?.date, date }),
    isCurrent: index === chosen,
    count: colleagues.filter(({ daysIn }) => daysIn.includes(index)).length,
  }))
  const shown = listPresentColleagues(colleagues)
  return html`<h2>${t`Who is in`}</h2>${showTabs(t`Day`, items)}
<div class="my-line"><span class="soft">${formatDate(days[chosen]?.date ?? '', 'full')}</span>
<div class="buttons">${days[0]?.isToday === false && showLink(call.link('/people'), t`Today`, { class: 'button quiet' })}${showLink(call.link('/people', { from: addDaysToDate(days.at(-1)?.date ?? '', 1) }), t`Later days`, { class: 'button quiet' })}</div></div>
${shown.length === 0 ? showEmptyState(t`Nobody from your favourites or groups is in so far.`) : showFloors(shown, (each) => showPerson(call, each, days[chosen]?.date), SHOWN_COLLEAGUES_MAX)}
${showListedMax(colleagues)}
${showFavourites(call, colleagues)}`
}

function showFavourites(call: Call, colleagues: Colleague[]): Html | false {
  const favourites = colleagues.filter(({ isFavourite }) => isFavourite)
  return (
    favourites.length > 0 &&
    html`<h2>${t`Favourites`}</h2><section class="card my-floor" aria-label="${t`Favourites`}"><ul>${favourites.map(
      (each) =>
        html`<li>${showLinkOrText(call.link(`/people/${each.id}`), showName({ ...each, isFavourite: false }))}${showAway(each)}</li>`,
    )}</ul></section>`
  )
}
