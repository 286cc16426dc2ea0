// People: those who are deactivated and still have bookings.
import { object } from '../../../shared/contracts/fields.ts'
import { html } from '../../http/html.ts'
import { type Call, page } from '../framework/page.ts'
import { showInstant, showRelativeInstant } from '../time/instants.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import type { Column } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import { countDeactivatedHolders, type DeactivatedHolder, listDeactivatedHolders } from './future-bookings.ts'

const USERS_PER_PAGE = 50

export const deactivatedUsers = page({
  path: '/people/deactivated',
  title: 'Deactivated people with bookings',
  section: 'People',
  query: object({ page: pageNumber() }),
  async show(call) {
    const [rows, { users }] = await Promise.all([
      listDeactivatedHolders(call.reads, call.now, sliceOf(call.query.page, USERS_PER_PAGE)),
      countDeactivatedHolders(call.reads, call.now),
    ])
    return {
      breadcrumbs: [['People', '/people']],
      lead: 'Their desks stay empty until you release the bookings.',
      tools:
        users > 0
          ? html`<a class="button danger" href="${call.link('/people/deactivated/release')}">Release all bookings</a>`
          : undefined,
      content: pagedTable(call, {
        caption: 'People',
        columns: columns(call),
        rows,
        rowsPerPage: USERS_PER_PAGE,
        page: call.query.page,
        empty: 'No deactivated people have bookings.',
      }),
    }
  },
})

function columns(call: Call): Column<DeactivatedHolder>[] {
  return [
    {
      label: 'Name',
      isHead: true,
      show: ({ id, name }) => html`<a href="${call.link(`/people/${id}`)}">${name}</a>`,
    },
    { label: 'E-mail', show: ({ email }) => email },
    { label: 'Deactivated', show: (row) => showRelativeInstant(row.deactivatedAt, call.now) },
    { label: 'Next booking', show: ({ next }) => showInstant(next) },
    { label: 'Bookings', isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    {
      label: 'Actions',
      isTools: true,
      show: ({ id, name }) =>
        html`<a href="${call.link(`/people/${id}/release`)}" aria-label="Release the bookings of ${name}">Release</a>`,
    },
  ]
}
