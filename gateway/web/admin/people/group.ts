// The page of a group: its leads, and its team days with the number of members who come.
import { message } from '../../../../shared/messages/message.ts'
import { object, queryFlag, queryId, required } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { namedPerson, requireNamedPerson, showNamedPeopleField } from '../../pages/search/named-people.ts'
import { createTeamDay, newTeamDayForm, showNewTeamDayFields } from '../../pages/team-days/new-team-day.ts'
import { formatDate, formatWeekday } from '../../pages/time/instants.ts'
import { showAvatar } from '../../pages/ui/avatars.ts'
import { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import {
  type Column,
  formatNumber,
  showCard,
  showInactiveBadge,
  showLink,
  showLinkOrText,
  showTable,
} from '../../pages/ui/parts.ts'
import { showHistory } from '../audit-log/audit-entry.ts'
import { createFloorField } from '../places/location-pages.ts'
import {
  COUNTED_MEMBERS_MAX,
  findGroupWithLeads,
  type Group,
  type GroupDay,
  listGroupDays,
  SHOWN_TEAM_DAYS_MAX,
} from './group-queries.ts'

const groupPages = defineResourcePages({
  path: '/people/groups/{id}',
  section: 'People',
  missing: message`There is no group with this id.`,
  find: (call) => findGroupWithLeads(call.reads, call.params.id),
  above: () => [
    [t`People`, '/people'],
    [t`Groups`, '/people/groups'],
  ],
  nameOf: ({ name }) => name,
})

const idForm = object({ id: required(queryId()) })

export const groupPage = groupPages.page({
  title: sentence`Group`,
  readers: 'reader',
  actions: (action) => ({
    'add-lead': action(object({ person: required(namedPerson()) }), async (call) => {
      const { id, name } = await requireNamedPerson(call.reads, call.form.person, 'person')
      await changeLeads(call, ({ leads }) => ({ leads: [...leads.filter((each) => each !== id), id] }))
      return { redirectTo: call.linkHere(), notice: t`${name} leads this group.` }
    }),
    'remove-lead': action(idForm, async (call) => {
      await changeLeads(call, ({ leads }) => ({ leads: leads.filter((each) => each !== call.form.id) }))
      return { redirectTo: call.linkHere(), notice: t`Lead removed.` }
    }),
    'set-anybody': action(object({ anybody: queryFlag() }), async (call) => {
      await changeLeads(call, () => ({ anybody: call.form.anybody === true }))
      return { redirectTo: call.linkHere(), notice: t`Changes saved.` }
    }),
    'add-team-day': action(newTeamDayForm, createTeamDay),
    'delete-team-day': action(idForm, async (call) => {
      await call.dispatch('team-days.delete', { group_id: call.params.id, team_day_id: call.form.id })
      return { redirectTo: call.linkHere(), notice: t`Team day deleted. Bookings stay.` }
    }),
  }),
  async show(call, group) {
    const { id, members } = group
    const today = formatLocalDate(call.now, await findCommonZone(call.reads))
    const days = await listGroupDays(call.reads, id, today)
    const showFloorField = await createFloorField(call.reads)
    const [list, bookings] = [call.link('/people', { group: id }), call.link('/reports/came', { group: id })]
    return {
      title: group.name,
      lead: showLinkOrText(list, plural(members, '# active person', '# active people')),
      tools: showLink(bookings, t`Who came`, { class: 'button quiet' }),
      content: html`${showCard(t`Leads`, showLeads(call, group), 'leads')}
<section aria-labelledby="team-days"><h2 id="team-days">${t`Team days`}</h2>
${showTable(t`Team days`, createDayColumns(call), days.slice(0, SHOWN_TEAM_DAYS_MAX), t`No upcoming team days.`)}
${days.length > SHOWN_TEAM_DAYS_MAX && html`<p class="soft">${t`Only the first ${SHOWN_TEAM_DAYS_MAX} are shown.`}</p>`}
${days.length > 0 && members > COUNTED_MEMBERS_MAX && html`<p class="soft">${t`“Come” counts the first ${formatNumber(COUNTED_MEMBERS_MAX)} members.`}</p>`}
${
  call.mayWrite &&
  html`<div class="card narrow">${form(
    call,
    { action: 'add-team-day', submit: t`Add team day`, tone: 'quiet' },
    (fields) =>
      showNewTeamDayFields(fields, {
        dayLabel: t`Day`,
        date: today,
        floor: showFloorField(fields, undefined, t`Any floor`),
      }),
  )}</div>`
}</section>
${await showHistory(call, 'groups', id)}`,
    }
  },
})

type Leads = { leads: number[]; anybody: boolean }

/** Changes the leads, or whether every member can set team days. The job keeps what others change at the same time. */
async function changeLeads(call: ActionCall<{ id: number }>, change: (present: Leads) => Partial<Leads>) {
  const group = await groupPages.require(call)
  const present = { leads: group.leads.map(({ id }) => id), anybody: group.anybody }
  const { leads, anybody } = { ...present, ...change(present) }
  const seen = { user_ids: present.leads, anybody: present.anybody }
  await call.dispatch('groups.set-leads', { id: call.params.id, user_ids: leads, anybody, seen })
}

function showLeads(call: Call, { leads, anybody }: Group): Html {
  const rows = leads.map(
    ({ id, name, email, isActive }) => html`<li class="with-menu">${showAvatar({ id, name })}
<span>${showLinkOrText(call.link(`/people/${id}`), name)} <small>${email}</small>${showInactiveBadge({ isActive })}</span>
${call.mayWrite && showMoreMenu([form(call, { action: 'remove-lead', key: id, hidden: { id }, submit: t`Remove`, submitLabel: t`Remove ${name}`, tone: 'danger', isInline: true })], name)}</li>`,
  )
  return html`<p class="soft">${t`Leads name the days on which the group comes together. They are members of the group.`}</p>
${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p>${t`Nobody leads this group.`}</p>`}
${
  call.mayWrite &&
  html`${form(call, { action: 'add-lead', submit: t`Add lead`, tone: 'quiet', isInline: true }, (fields) =>
    showNamedPeopleField(fields.text('person', t`Person`, { placeholder: t`Name or e-mail` })),
  )}
${form(call, { action: 'set-anybody', submit: t`Save`, tone: 'quiet', values: { anybody } }, (fields) =>
  fields.checkbox('anybody', t`Every member can set team days`),
)}`
}`
}

const formatDay = ({ date, weekday, nextDate }: GroupDay): string =>
  date === null
    ? t`Every ${formatWeekday(weekday ?? 1, 'long')}, next on ${formatDate(nextDate, 'long')}`
    : formatDate(date, 'weekday')

const createDayColumns = (call: Call): Column<GroupDay>[] => [
  { label: t`Day`, show: formatDay },
  { label: t`Come`, isNumber: true, show: ({ comes }) => formatNumber(comes) },
  { label: t`Floor`, show: ({ location }) => location },
  { label: t`Note`, show: ({ note }) => note },
  {
    label: t`Actions`,
    isTools: true,
    show: (day) =>
      call.mayWrite &&
      showMoreMenu(
        [
          form(call, {
            action: 'delete-team-day',
            key: day.id,
            hidden: { id: day.id },
            submit: t`Delete`,
            submitLabel: `${t`Delete`}: ${formatDay(day)}`,
            tone: 'danger',
            isInline: true,
          }),
        ],
        formatDay(day),
      ),
  },
]
