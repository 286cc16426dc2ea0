// The People page, with search, filters and exports.
import { object, queryId, text } from '../../../../shared/schemas/fields.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { findReturnAddress } from '../../pages/page/back.ts'
import { startExport } from '../../pages/page/downloads.ts'
import type { Call } from '../../pages/page/page.ts'
import { canOpen } from '../../pages/page/roles.ts'
import { findGroup } from '../../pages/search/choices.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import { showAvatar } from '../../pages/ui/avatars.ts'
import { defineListPage } from '../../pages/ui/declared-pages.ts'
import { choices } from '../../pages/ui/fields.ts'
import { showFilterBar } from '../../pages/ui/forms.ts'
import { createExportItems, showMoreMenu } from '../../pages/ui/menu.ts'
import { type Column, formatFirstItems, formatList, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import { countDeactivatedHolders } from './deactivated-users.ts'
import { listUsers, USER_ORDERS, type UserRow } from './queries.ts'

const SHOWN_NAMES_MAX = 3
const STATE_CHOICES = choices(
  ['active', sentence`Active`],
  ['deactivated', sentence`Deactivated`],
  ['all', sentence`All`],
)

const query = {
  q: text({ max: 255, min: 1 }),
  state: STATE_CHOICES.rule().default('active'),
  group: queryId(),
}
const searchQuery = object(query)
type SearchCall = Call<unknown, typeof searchQuery.__outputType>

export const usersPage = defineListPage({
  path: '/people',
  title: sentence`People`,
  section: 'People',
  readers: 'reader',
  query,
  downloads: { csv: (call) => exportPeople('csv', call), xlsx: (call) => exportPeople('xlsx', call) },
  orders: USER_ORDERS,
  usual: 'name',
  find: ({ reads, query: { q, state, group } }, slice, order) =>
    listUsers(reads, { search: q, state, group }, slice, order),
  async view(call) {
    const { group: groupId } = call.query
    const [group, holders] = await Promise.all([
      groupId === undefined ? undefined : findGroup(call.reads, groupId),
      countDeactivatedHolders(call.reads, call.now),
    ])
    return {
      lead: group
        ? tHtml`Members of ${showLinkOrText(call.link(`/people/groups/${groupId}`), group.name)}`
        : undefined,
      tools: showActions(call),
      above: html`${showDeactivatedNotice(call, holders)}
${showFilterBar(call, (fields) => [
  fields.search('q', t`Search`, { placeholder: t`Name, e-mail, UPN, group or plate` }),
  fields.select('state', t`Status`, { required: true, options: STATE_CHOICES.options() }),
])}
`,
      below:
        groupId !== undefined &&
        html`<p>${showLink(formatGroupMonthAddress(call, groupId), t`Bookings of the group`)}</p>`,
    }
  },
  columns,
  empty: showNothingFound,
})

/** Returns the address of the list of the group's bookings this month, which can be exported there. */
function formatGroupMonthAddress(call: Call, group: number): string {
  const first = `${call.now.slice(0, 7)}-01`
  return call.link('/bookings', {
    group,
    from: first,
    to: addDaysToDate(`${addDaysToDate(first, 31).slice(0, 7)}-01`, -1),
  })
}

const exportPeople = (format: ExportFormat, call: Call) =>
  startExport(call, `users-${call.now.slice(0, 10)}`, 'users.export', { format })

function showActions(call: Call): Html {
  return html`${showLink(call.link('/people/groups'), t`Groups`, { class: 'button quiet' })}
${showLink(call.link('/people/import'), t`Import people`, { class: 'button quiet' })}
${showLink(call.link('/people/new', { back: findReturnAddress(call) }), t`New person`, { class: 'button primary' })}
${showMoreMenu(createExportItems(call))}`
}

function showDeactivatedNotice(
  call: Call,
  { users, bookings, assigned }: Record<'users' | 'bookings' | 'assigned', number>,
) {
  if (users === 0) return false
  const held = formatList([
    ...(bookings > 0 ? [plural(bookings, '# booking', '# bookings')] : []),
    ...(assigned > 0 ? [plural(assigned, '# assigned desk or room', '# assigned desks and rooms')] : []),
  ])
  const who = plural(
    users,
    '# deactivated person still has {0}.',
    '# deactivated people still have {0}.',
    held,
  )
  return showNotice('warn', html`${who} ${showLink(call.link('/people/deactivated'), t`Review`)}`)
}

function columns(call: Call): Column<UserRow>[] {
  return [
    {
      label: t`Name`,
      sort: 'name',
      show: ({ id, name, deactivatedAt }) =>
        html`<span class="person">${showAvatar({ id, name })} ${showLinkOrText(call.link(`/people/${id}`, { back: findReturnAddress(call) }), name)}${deactivatedAt !== null && html` <span class="badge warn">${t`deactivated`}</span>`}</span>`,
    },
    { label: t`E-mail`, sort: 'email', show: ({ email }) => email },
    { label: t`Groups`, show: ({ groups }) => formatFirstItems(groups, SHOWN_NAMES_MAX) },
    { label: t`Plates`, show: ({ plates }) => formatFirstItems(plates, SHOWN_NAMES_MAX) },
  ]
}

const showFirstSteps = (call: SearchCall) =>
  html`<p>${tHtml`${showLinkOrText(call.link('/people/import'), t`Import people`)} from a file, or ${showLinkOrText(call.link('/people/new'), t`add a person`)}.`}</p>`

function showNothingFound(call: SearchCall): Html {
  const { q, state, group } = call.query
  if (q === undefined && group === undefined && state === 'active')
    return showEmptyState(t`No people yet.`, canOpen(call.link('/people/new')) && showFirstSteps(call))
  const all = showLinkOrText(call.link('/people'), t`show all active people`)
  if (state !== 'active') return showEmptyState(t`No people match.`, tHtml`Try fewer words, or ${all}.`)
  const deactivated = showLinkOrText(call.linkHere({ state: 'all', page: null }), t`deactivated people too`)
  return showEmptyState(t`No active people found.`, tHtml`Search ${deactivated}, or ${all}.`)
}
