// The People page, with search, filters and exports; and the page of groups, with how many people are in each.
import { object, queryId, text } from '../../../../shared/schemas/fields.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { searchPattern } from '../../../reads/rows/like-patterns.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { hereAsBack } from '../../pages/page/back.ts'
import { exported } from '../../pages/page/downloads.ts'
import type { Call } from '../../pages/page/page.ts'
import { mayOpen } from '../../pages/page/roles.ts'
import { findGroup } from '../../pages/search/choices.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import { listPage } from '../../pages/ui/declared-pages.ts'
import { choices } from '../../pages/ui/fields.ts'
import { filterBar } from '../../pages/ui/forms.ts'
import { exportItems, moreMenu } from '../../pages/ui/menu.ts'
import {
  type Column,
  formatFirst,
  formatList,
  formatNumber,
  showLink,
  showLinkOrText,
} from '../../pages/ui/parts.ts'
import { orderSql } from '../../pages/ui/sorting.ts'
import { showEmpty, showNotice } from '../../pages/ui/states.ts'
import { countDeactivatedHolders } from './deactivated-users.ts'
import { listUsers, USER_ORDERS, type UserRow } from './queries.ts'

const NAMES_SHOWN = 3
const STATES = choices(
  ['active', sentence`Active`],
  ['deactivated', sentence`Deactivated`],
  ['all', sentence`All`],
)

const query = { q: text({ max: 255, min: 1 }), state: STATES.rule().default('active'), group: queryId() }
const searchQuery = object(query)
type SearchCall = Call<unknown, typeof searchQuery.__outputType>

export const users = listPage({
  path: '/people',
  title: sentence`People`,
  section: 'People',
  readers: 'reader',
  query,
  downloads: { csv: (call) => exportAs('csv', call), xlsx: (call) => exportAs('xlsx', call) },
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
      lead: group ? tHtml`Members of ${html`<strong>${group.name}</strong>`}` : undefined,
      tools: tools(call),
      above: html`${deactivatedNotice(call, holders)}
${filterBar(call, (fields) => [
  fields.search('q', t`Search`, { placeholder: t`Name, e-mail, UPN, group or plate` }),
  fields.select('state', t`Status`, { required: true, options: STATES.options() }),
])}
`,
      below:
        groupId !== undefined &&
        html`<p>${showLink(monthOfGroup(call, groupId), t`Bookings of the group`)}</p>`,
    }
  },
  columns,
  empty: nothingFound,
})

/** Their bookings of this month, which can be exported there. */
function monthOfGroup(call: Call, group: number): string {
  const first = `${call.now.slice(0, 7)}-01`
  return call.link('/bookings', {
    group,
    from: first,
    to: addDaysToDate(`${addDaysToDate(first, 31).slice(0, 7)}-01`, -1),
  })
}

const exportAs = (format: ExportFormat, call: Call) =>
  exported(call, `users-${call.now.slice(0, 10)}`, 'users.export', { format })

function tools(call: Call): Html {
  return html`${showLink(call.link('/people/groups'), t`Groups`, { class: 'button quiet' })}
${showLink(call.link('/people/import'), t`Import people`, { class: 'button quiet' })}
${showLink(call.link('/people/new', { back: hereAsBack(call) }), t`New person`, { class: 'button primary' })}
${moreMenu(exportItems(call))}`
}

function deactivatedNotice(
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
        html`${showLinkOrText(call.link(`/people/${id}`, { back: hereAsBack(call) }), name)}${deactivatedAt !== null && html` <span class="badge warn">${t`deactivated`}</span>`}`,
    },
    { label: t`E-mail`, sort: 'email', show: ({ email }) => email },
    { label: t`Groups`, show: ({ groups }) => formatFirst(groups, NAMES_SHOWN) },
    { label: t`Plates`, show: ({ plates }) => formatFirst(plates, NAMES_SHOWN) },
  ]
}

const showFirstSteps = (call: SearchCall) =>
  html`<p>${tHtml`${showLinkOrText(call.link('/people/import'), t`Import people`)} from a file, or ${showLinkOrText(call.link('/people/new'), t`add a person`)}.`}</p>`

function nothingFound(call: SearchCall): Html {
  const { q, state, group } = call.query
  if (q === undefined && group === undefined && state === 'active')
    return showEmpty(t`No people yet.`, mayOpen(call.link('/people/new')) && showFirstSteps(call))
  const all = showLinkOrText(call.link('/people'), t`show all active people`)
  if (state !== 'active') return showEmpty(t`No people match.`, tHtml`Try fewer words, or ${all}.`)
  const deactivated = showLinkOrText(call.linkHere({ state: 'all', page: null }), t`deactivated people too`)
  return showEmpty(t`No active people found.`, tHtml`Search ${deactivated}, or ${all}.`)
}

const ORDERS = { name: naturalSql('groups.name'), members: 'members' }

const GROUP = {
  id: rows.number('groups.id'),
  name: rows.text('groups.name'),
  members: rows.number(`(SELECT count(*)::int FROM group_members JOIN users ON users.id = user_id
    WHERE group_id = groups.id AND users.deactivated_at IS NULL)`),
}

export const groups = listPage({
  path: '/people/groups',
  title: sentence`Groups`,
  section: 'People',
  readers: 'reader',
  query: { q: text({ max: 255, min: 1 }) },
  orders: ORDERS,
  usual: 'name',
  find: ({ reads, query: { q } }, slice, order) =>
    rows.selectSlice(reads, GROUP, 'groups WHERE $1::text IS NULL OR lower(groups.name) LIKE $1', slice, {
      values: [searchPattern(q?.toLowerCase())],
      orderBy: orderSql(ORDERS, order, 'groups.id'),
    }),
  view: (call) => ({
    breadcrumbs: [[t`People`, '/people']],
    lead: t`A group is created when the first person is added to it.`,
    above: filterBar(call, (fields) => fields.search('q', t`Name`)),
  }),
  columns: (call) => [
    {
      label: t`Name`,
      sort: 'name',
      show: ({ id, name }) => showLinkOrText(call.link('/people', { group: id }), name),
    },
    {
      label: t`Active people`,
      isNumber: true,
      sort: 'members',
      show: ({ members }) => formatNumber(members),
    },
  ],
  empty: ({ query: { q } }) => (q === undefined ? t`There are no groups yet.` : t`No matches.`),
})
