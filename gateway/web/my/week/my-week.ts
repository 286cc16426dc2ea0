// The page My week: where the person works on each day of this week and the next, and which of their people are in. One
// press sets a day, and another one repeats the week before.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { formatDate, formatWeekday } from '../../pages/time/instants.ts'
import { form } from '../../pages/ui/forms.ts'
import { type IconName, showIcon } from '../../pages/ui/icons.ts'
import { showLink } from '../../pages/ui/parts.ts'
import { type Colleague, listFavouritesAndGroups } from './favourites-and-groups.ts'
import { findDayWeekBefore, type OwnDay, readOwnDays } from './own-days.ts'
import { dayForm, repeatForm, repeatLastWeek, setDay } from './set-day.ts'
import { showListedMax, showPeople, showTeamDay } from './show-people.ts'
import { isTeamDayOn, listTeamDays, listTeams, type Team, type TeamDay } from './teams.ts'
import { listTwoWeeks, type WorkingDay } from './working-days.ts'

type ShownDay = { day: WorkingDay; own: OwnDay; before: OwnDay; people: Colleague[]; teamDays: TeamDay[] }

export const myWeekPage = definePage({
  path: '/week',
  title: sentence`My week`,
  section: 'My week',
  actions: (action) => ({ set: action(dayForm, setDay), repeat: action(repeatForm, repeatLastWeek) }),
  async show(call) {
    const weeks = listTwoWeeks(call.now, await findCommonZone(call.reads))
    const days = weeks.flat()
    const [from = '', to = ''] = [days[0]?.date, days.at(-1)?.date]
    // One read after the other: joined in one statement, they would take Postgres several times as long to plan.
    const findOwn = await readOwnDays(call, { from: findDayWeekBefore(from), to })
    const colleagues = await listFavouritesAndGroups(call, days)
    const teams = await listTeams(call)
    const teamDays = teams.length > 0 ? await listTeamDays(call, from) : []
    const shown = days.map(
      (day, index): ShownDay => ({
        day,
        own: findOwn(day.date),
        before: findOwn(findDayWeekBefore(day.date)),
        people: colleagues.filter(({ daysIn }) => daysIn.includes(index)),
        teamDays: teamDays.filter((each) => isTeamDayOn(each, day.date)),
      }),
    )
    // At a weekend, the first week that is shown is the next one.
    const isThisWeek = days.some(({ isToday }) => isToday)
    const titles = isThisWeek ? [t`This week`, t`Next week`] : [t`Next week`, t`The week after`]
    return html`<div class="week">${weeks.map((week, index) =>
      showWeek(
        call,
        titles[index] ?? '',
        shown.filter(({ day }) => week.includes(day)),
      ),
    )}</div>
${showListedMax(colleagues)}
${showTeams(call, teams)}`
  },
})

function showWeek(call: Call, title: string, days: ShownDay[]): Html {
  const open = days.filter(({ own, before }) => own.kind === null && isRepeatable(before))
  return html`<section aria-label="${title}"><div class="week-head"><h2>${title}</h2>
${open.length > 0 && showRepeatButton(call, open)}</div>
${form(
  call,
  { action: 'set', key: days[0]?.day.date ?? '' },
  () => html`<ul class="week-days">${days.map((day) => showDay(call, day))}</ul>`,
)}</section>`
}

/** Links to the weeks of the person's groups. */
const showTeams = (call: Call, teams: Team[]): Html | false =>
  teams.length > 0 &&
  html`<h2>${t`Teams`}</h2><p class="buttons">${teams.map(({ id, name }) => showLink(call.link(`/week/teams/${id}`), name, { class: 'button quiet' }))}</p>`

const isRepeatable = ({ kind }: OwnDay) => kind === 'office' || kind === 'home'

const showRepeatButton = (call: Call, days: ShownDay[]): Html =>
  form(
    call,
    {
      action: 'repeat',
      key: days[0]?.day.date ?? '',
      submit: t`As the week before`,
      tone: 'quiet',
      isInline: true,
    },
    () => days.map(({ day }) => html`<input type="hidden" name="days" value="${day.date}">`),
  )

function showDay(call: Call, { day, own, people, teamDays }: ShownDay): Html {
  const { date, isToday } = day
  return html`<li class="week-day"${isToday && html` aria-current="date"`}>
<div class="week-date"><strong>${formatWeekday(new Date(date).getUTCDay(), 'short')}</strong> <span class="soft">${formatDate(date, 'short')}</span></div>
<div class="week-place">${showPlace(call, own)}${showPeople(call, people)}</div>
<div class="week-kinds" role="group" aria-label="${formatDate(date, 'weekday')}">${KINDS.map(([kind, icon]) => showKind(call, day, own, kind, icon))}</div>${teamDays.map((each) => showTeamDay(each, date, own.kind === 'office'))}</li>`
}

const KINDS: Array<[kind: 'office' | 'home' | 'away', icon: IconName]> = [
  ['office', 'desk'],
  ['home', 'home'],
  ['away', 'away'],
]
const labelKind = (kind: 'office' | 'home' | 'away') =>
  ({ office: t`Office`, home: t`Home`, away: t`Away` })[kind]

/** Shows the button of a kind of day. The button of the current kind clears the day. */
function showKind(
  call: Call,
  { date }: WorkingDay,
  own: OwnDay,
  kind: 'office' | 'home' | 'away',
  icon: IconName,
): Html {
  const isSet = own.kind === kind
  const label = labelKind(kind)
  return html`<button name="day" value="${date} ${isSet ? 'none' : kind}" aria-pressed="${String(isSet)}" aria-label="${label}: ${formatDate(date, 'weekday')}">${showIcon(call.link('/'), icon)}<span>${label}</span></button>`
}

function showPlace(call: Call, { kind, bookings, absence }: OwnDay): Html {
  if (kind === 'away')
    return html`<span>${absence && absence.from !== absence.to ? t`Away until ${formatDate(absence.to, 'weekday')}` : t`Away`}</span>`
  if (bookings.length === 0) return html`<span class="soft">${t`Nothing yet`}</span>`
  return html`${bookings.map(
    ({ id, bookable, location, type }) =>
      html`<span>${showLink(call.link(`/bookings/${id}`), type === BOOKABLE_TYPES.homeOffice ? t`Home office` : bookable)}${kind === 'office' && html` <span class="soft">${location}</span>`}</span>`,
  )}`
}
