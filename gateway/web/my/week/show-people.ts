// Shows who comes to the office on a day, and the day of a team with the button that joins it.
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatDate } from '../../pages/time/instants.ts'
import { showAvatar } from '../../pages/ui/avatars.ts'
import { type Colleague, LISTED_MAX } from './favourites-and-groups.ts'
import type { TeamDay } from './teams.ts'

const SHOWN_PEOPLE_MAX = 5

/** Shows avatars. Each leads to the week of this colleague. */
export function showPeople(call: Call, people: Colleague[]): Html | false {
  if (people.length === 0) return false
  const more = people.length - SHOWN_PEOPLE_MAX
  return html`<span class="avatars">${people
    .slice(0, SHOWN_PEOPLE_MAX)
    .map(
      (each) => html`<a href="${call.link(`/people/${each.id}`)}">${showAvatar(each, { isAlone: true })}</a>`,
    )}${more > 0 && html`<span class="avatar">+${more}</span>`}</span>`
}

/** Says that the counts leave out people, if the person has more favourites and group members than are listed. */
export const showListedMax = (listed: Colleague[]): Html | false =>
  listed.length >= LISTED_MAX &&
  html`<p class="soft">${t`Only ${LISTED_MAX} of your favourites and of the people in your groups are counted.`}</p>`

/** Shows a team day, as part of the form that sets days. People who are not in yet can join with one press. */
export function showTeamDay({ id, team, location, note }: TeamDay, date: string, isIn: boolean): Html {
  const about = [team, note, location].filter(Boolean).join(' · ')
  const label = `${t`Join`}: ${team}, ${formatDate(date, 'weekday')}`
  return html`<div class="week-team"><span class="badge">${t`Team day`}</span> <span>${about}</span>
${!isIn && html`<button class="button quiet" name="day" value="${date} join ${id}" aria-label="${label}">${t`Join`}</button>`}</div>`
}
