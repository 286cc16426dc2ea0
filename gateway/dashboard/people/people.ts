// People: everybody, searched and filtered, and the files that hold them.
import { choice, integer, object, queryId, queryNumber, text } from '../../../shared/contracts/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { CONTENT_TYPES, type Format } from '../../http/written-file.ts'
import { type Call, type Download, page } from '../framework/page.ts'
import { searchForm } from '../ui/forms.ts'
import { type Column, pager, table } from '../ui/tables.ts'
import { formatFirst } from '../ui/words.ts'
import { countHeld, findGroup, listPeople, type PersonRow } from './queries.ts'

const A_PAGE = 50
const SHOWN_MAX = 3
const STATES = ['active', 'deactivated', 'all'] as const

const query = object({
  q: text({ max: 255, min: 1 }),
  state: choice(STATES, (name) => `${name} must be active, deactivated or all.`).default('active'),
  group: queryId(),
  page: queryNumber(integer({ min: 1, max: 100_000 })).default(1),
})

export const people = page({
  path: '/people',
  title: 'People',
  section: 'People',
  query,
  downloads: { csv: (call) => exported('csv', call), xlsx: (call) => exported('xlsx', call) },
  async show(call) {
    const { q, state, group: groupId, page: number } = call.query
    const [found, group, held] = await Promise.all([
      listPeople(
        call.reads,
        { search: q, state, group: groupId },
        { offset: (number - 1) * A_PAGE, limit: A_PAGE + 1 },
      ),
      groupId === undefined ? undefined : findGroup(call.reads, groupId),
      countHeld(call.reads, call.now),
    ])
    return {
      lead: group ? html`Members of <strong>${group.name}</strong>` : undefined,
      tools: tools(call),
      content: html`${heldNotice(call, held)}
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
${table('People', columns(call), found.slice(0, A_PAGE), nobody(call))}
${pager(call, { page: number, hasMore: found.length > A_PAGE })}
<p class="soft files">Export active people: <a href="${call.download('csv')}" download>csv</a>,
<a href="${call.download('xlsx')}" download>xlsx</a>. You can edit the file and import it again.</p>`,
    }
  },
})

function exported(format: Format, { now, services }: Call): Download {
  return {
    name: `users-${now.slice(0, 10)}.${format}`,
    contentType: CONTENT_TYPES[format],
    dispatch: (origin, options) => services.dispatcher.dispatch('users.export', { format }, origin, options),
  }
}

function tools(call: Call): Html {
  return html`<a class="button quiet" href="${call.link('/people/groups')}">Groups</a>
<a class="button quiet" href="${call.link('/people/import')}">Import people</a>
<a class="button primary" href="${call.link('/people/new')}">New person</a>`
}

function heldNotice(call: Call, { people: number, bookings }: { people: number; bookings: number }) {
  if (number === 0) return false
  const who = number === 1 ? 'One deactivated person still has' : `${number} deactivated people still have`
  const what = bookings === 1 ? 'a booking' : `${bookings} bookings`
  return html`<div class="notice warn"><p>${who} ${what}. <a href="${call.link('/people/deactivated')}">Release bookings</a></p></div>`
}

function columns(call: Call): Column<PersonRow>[] {
  return [
    {
      label: 'Name',
      isHead: true,
      show: ({ id, name, deactivatedAt }) =>
        html`<a href="${call.link(`/people/${id}`)}">${name}</a>${
          deactivatedAt !== null && html` <span class="badge warn">deactivated</span>`
        }`,
    },
    { label: 'E-mail', show: ({ email }) => email },
    { label: 'Groups', show: ({ groups }) => formatFirst(groups, SHOWN_MAX) },
    { label: 'Plates', show: ({ plates }) => formatFirst(plates, SHOWN_MAX) },
  ]
}

function nobody(call: Call): Html {
  const { q, state, group } = call.query as { q?: string; state: string; group?: number }
  if (q === undefined && group === undefined && state === 'active')
    return html`<p><strong>No people yet.</strong></p>
<p><a href="${call.link('/people/import')}">Import people</a> from a file, or <a href="${call.link('/people/new')}">add a person</a>.</p>`
  return html`<p><strong>No people found.</strong></p>
<p>Search <a href="${call.linkHere({ state: 'all', page: null })}">deactivated people too</a>, or <a href="${call.link('/people')}">show all active people</a>.</p>`
}
