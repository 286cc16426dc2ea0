// People: everybody, searched and filtered, and the files that hold them.
import type * as yup from 'yup'
import { choice, object, queryId, text } from '../../../shared/contracts/fields.ts'
import type { ExportFormat } from '../../../shared/contracts/users.ts'
import { EXPORT_CONTENT_TYPES } from '../../http/export-answer.ts'
import { type Html, html } from '../../http/html.ts'
import { hereAsBack } from '../framework/back.ts'
import { type Call, type Download, page } from '../framework/page.ts'
import { searchForm } from '../ui/forms.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import { parseSort, sortChoice } from '../ui/sorting.ts'
import type { Column } from '../ui/tables.ts'
import { formatCount, formatFirst, formatList, formatNumber } from '../ui/words.ts'
import { findGroup } from './group-queries.ts'
import { listUsers, USER_ORDERS, type UserRow } from './queries.ts'
import { countDeactivatedHolders } from './user-bookings.ts'

const USERS_PER_PAGE = 50
const NAMES_SHOWN = 3
const STATES = ['active', 'deactivated', 'all'] as const

const query = object({
  q: text({ max: 255, min: 1 }),
  state: choice(STATES, (name) => `${name} must be active, deactivated or all.`).default('active'),
  group: queryId(),
  sort: sortChoice(USER_ORDERS),
  page: pageNumber(),
})

type SearchCall = Call<unknown, yup.InferType<typeof query>>

export const users = page({
  path: '/people',
  title: 'People',
  section: 'People',
  readers: 'reader',
  query,
  downloads: { csv: (call) => exportAs('csv', call), xlsx: (call) => exportAs('xlsx', call) },
  async show(call) {
    const { q, state, group: groupId, page } = call.query
    const order = parseSort(call.query.sort, 'name')
    const [found, group, holders] = await Promise.all([
      listUsers(call.reads, { search: q, state, group: groupId }, sliceOf(page, USERS_PER_PAGE), order),
      groupId === undefined ? undefined : findGroup(call.reads, groupId),
      countDeactivatedHolders(call.reads, call.now),
    ])
    return {
      lead: group ? html`Members of <strong>${group.name}</strong>` : undefined,
      tools: tools(call),
      content: html`${deactivatedNotice(call, holders)}
${searchForm(call, 'Search', (fields) => [
  fields.text({
    name: 'q',
    label: 'Search',
    type: 'search',
    value: q,
    placeholder: 'Name, e-mail, UPN, group or plate',
  }),
  fields.select({
    name: 'state',
    label: 'Status',
    value: state,
    required: true,
    options: [
      { value: 'active', label: 'Active' },
      { value: 'deactivated', label: 'Deactivated' },
      { value: 'all', label: 'All' },
    ],
  }),
])}
${pagedTable(call, {
  caption: 'People',
  columns: columns(call),
  found,
  rowsPerPage: USERS_PER_PAGE,
  page,
  order,
  empty: nothingFound(call),
})}
<p class="soft files">Export active people: <a href="${call.download('csv')}" download>csv</a>,
<a href="${call.download('xlsx')}" download>xlsx</a>. You can edit the file and import it again.</p>`,
    }
  },
})

function exportAs(format: ExportFormat, { now, services }: Call): Download {
  return {
    name: `users-${now.slice(0, 10)}.${format}`,
    contentType: EXPORT_CONTENT_TYPES[format],
    dispatch: (origin, options) => services.dispatcher.dispatch('users.export', { format }, origin, options),
  }
}

function tools(call: Call): Html {
  return html`<a class="button quiet" href="${call.link('/people/groups')}">Groups</a>
<a class="button quiet" href="${call.link('/people/import')}">Import people</a>
<a class="button primary" href="${call.link('/people/new', { back: hereAsBack(call) })}">New person</a>`
}

function deactivatedNotice(
  call: Call,
  { users, bookings, assigned }: Record<'users' | 'bookings' | 'assigned', number>,
) {
  if (users === 0) return false
  const who =
    users === 1 ? '1 deactivated person still has' : `${formatNumber(users)} deactivated people still have`
  const what = [
    ...(bookings > 0 ? [formatCount(bookings, 'booking')] : []),
    ...(assigned > 0 ? [formatCount(assigned, 'assigned bookable')] : []),
  ]
  return html`<div class="notice warn"><p>${who} ${formatList(what)}. <a href="${call.link('/people/deactivated')}">Review</a></p></div>`
}

function columns(call: Call): Column<UserRow>[] {
  return [
    {
      label: 'Name',
      isHead: true,
      sort: 'name',
      show: ({ id, name, deactivatedAt }) =>
        html`<a href="${call.link(`/people/${id}`, { back: hereAsBack(call) })}">${name}</a>${
          deactivatedAt !== null && html` <span class="badge warn">deactivated</span>`
        }`,
    },
    { label: 'E-mail', sort: 'email', show: ({ email }) => email },
    { label: 'Groups', show: ({ groups }) => formatFirst(groups, NAMES_SHOWN) },
    { label: 'Plates', show: ({ plates }) => formatFirst(plates, NAMES_SHOWN) },
  ]
}

function nothingFound(call: SearchCall): Html {
  const { q, state, group } = call.query
  if (q === undefined && group === undefined && state === 'active')
    return html`<p><strong>No people yet.</strong></p>
<p><a href="${call.link('/people/import')}">Import people</a> from a file, or <a href="${call.link('/people/new')}">add a person</a>.</p>`
  const all = html`<a href="${call.link('/people')}">show all active people</a>`
  if (state !== 'active')
    return html`<p><strong>No people found.</strong></p>
<p>Try fewer words, or ${all}.</p>`
  return html`<p><strong>No active people found.</strong></p>
<p>Search <a href="${call.linkHere({ state: 'all', page: null })}">deactivated people too</a>, or ${all}.</p>`
}
