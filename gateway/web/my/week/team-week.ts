// The page of a group's week: how many people come to the office on each day, and the team days of the group. Its leads
// can set team days, and all members can if the group allows it.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId, queryId, required } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { createTeamDay, newTeamDayForm, showNewTeamDayFields } from '../../pages/team-days/new-team-day.ts'
import { formatDate, formatWeekday } from '../../pages/time/instants.ts'
import { form } from '../../pages/ui/forms.ts'
import { listFloors } from '../book/floors.ts'
import { LISTED_MAX, listTeamMembers } from './favourites-and-groups.ts'
import { readOwnDays } from './own-days.ts'
import { dayForm, setDay } from './set-day.ts'
import { showPeople, showTeamDay } from './show-people.ts'
import { isTeamDayOn, listTeamDays, listTeams } from './teams.ts'
import { listTwoWeeks } from './working-days.ts'

const TEAM_NOT_FOUND = message`You are not in a group with this number.`

export const teamWeekPage = definePage({
  path: '/week/teams/{id}',
  title: sentence`Team`,
  section: 'My week',
  params: object({ id: pathId() }),
  missing: TEAM_NOT_FOUND,
  actions: (action) => ({
    set: action(dayForm, setDay),
    name: action(newTeamDayForm, createTeamDay),
    delete: action(object({ id: required(queryId()) }), async (call) => {
      await call.dispatch('team-days.delete', { group_id: call.params.id, team_day_id: call.form.id })
      return { redirectTo: call.linkHere(), notice: t`Team day deleted. Bookings stay unchanged.` }
    }),
  }),
  async show(call) {
    const days = listTwoWeeks(call.now, await findCommonZone(call.reads)).flat()
    const [from = '', to = ''] = [days[0]?.date, days.at(-1)?.date]
    const team = (await listTeams(call)).find(({ id }) => id === call.params.id)
    if (!team) throw new Refusal('not_found', TEAM_NOT_FOUND)
    // Reads one after the other, as on My week.
    const teamDays = await listTeamDays(call, from)
    const findOwn = await readOwnDays(call, { from, to })
    const members = await listTeamMembers(call, days, team.id)
    const floors = team.mayName
      ? await listFloors(call.reads, call.requirePerson().id, BOOKABLE_TYPES.desk, call.now)
      : []
    const named = teamDays.filter(({ teamId }) => teamId === team.id)
    const rows = days.map(({ date }, index) => {
      const own = findOwn(date)
      const isIn = own.kind === 'office'
      const people = members.filter(({ daysIn }) => daysIn.includes(index))
      return html`<li class="week-day"><div class="week-date"><strong>${formatWeekday(new Date(date).getUTCDay(), 'short')}</strong> <span class="soft">${formatDate(date, 'short')}</span></div>
<div class="week-place"><span>${describeComing(people.length, isIn)}</span>${showPeople(call, people)}</div>
${named.filter((each) => isTeamDayOn(each, date)).map((each) => showTeamDay(each, date, isIn))}</li>`
    })
    return {
      title: team.name,
      breadcrumbs: [[t`My week`, '/week']],
      content: html`<div class="week">${form(call, { action: 'set' }, () => html`<ul class="week-days">${rows}</ul>`)}</div>
${members.length >= LISTED_MAX && html`<p class="soft">${t`Only ${LISTED_MAX} people of this group are counted.`}</p>`}
${team.mayName && html`<h2>${t`Team days`}</h2>${named.map((each) => showListedTeamDay(call, each))}${showNewTeamDay(call, days[0]?.date ?? '', floors)}`}`,
    }
  },
})

/** Describes how many of the team come to the office, and whether the person is one of them. */
function describeComing(others: number, isIn: boolean): string {
  if (isIn) return others === 0 ? t`Only you` : plural(others, 'You and # more', 'You and # more')
  return others === 0 ? t`Nobody yet` : plural(others, '# comes', '# come')
}

type ListedTeamDay = { id: number; date: string | null; weekday: number | null; note: string | null }

function showListedTeamDay(call: Call, { id, date, weekday, note }: ListedTeamDay): Html {
  const when = date === null ? t`Every ${formatWeekday(weekday ?? 1, 'long')}` : formatDate(date, 'weekday')
  return html`<div class="card my-booking"><div><strong>${when}</strong>${note !== null && html`<span class="soft">${note}</span>`}</div>
${form(call, { action: 'delete', key: id, hidden: { id }, submit: t`Delete`, submitLabel: `${t`Delete`}: ${when}`, tone: 'quiet', isInline: true })}</div>`
}

const showNewTeamDay = (
  call: Call,
  date: string,
  floors: Array<{ locationId: number; location: string; building: string }>,
): Html =>
  html`<div class="card">${form(call, { action: 'name', submit: t`Add team day` }, (fields) => {
    const options = floors.map(({ locationId, location, building }) => ({
      value: locationId,
      label: location,
      group: building,
    }))
    const floor = fields.select('location', t`Floor`, { any: t`Any floor`, options })
    return showNewTeamDayFields(fields, { dayLabel: t`We are in on`, date, floor })
  })}</div>`
