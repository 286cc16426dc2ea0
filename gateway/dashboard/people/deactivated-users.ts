// The page of deactivated users who still have bookings, or assigned desks, rooms or parking.
import { object } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { findCommonZone } from '../search/choices.ts'
import { showInstant, showRelativeInstant } from '../time/instants.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import type { Column } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import { showRunningRelease } from './release-progress.ts'
import { countDeactivatedHolders, type DeactivatedHolder, listDeactivatedHolders } from './user-bookings.ts'

const USERS_PER_PAGE = 50

export const deactivatedUsers = page({
  path: '/people/deactivated',
  title: sentence`Deactivated people with bookings or desks`,
  section: 'People',
  query: object({ page: pageNumber() }),
  async show(call) {
    const [found, { bookings }, zone, running] = await Promise.all([
      listDeactivatedHolders(call.reads, call.now, sliceOf(call.query.page, USERS_PER_PAGE)),
      countDeactivatedHolders(call.reads, call.now),
      findCommonZone(call.reads),
      showRunningRelease(call),
    ])
    return {
      breadcrumbs: [[t`People`, '/people']],
      lead: t`Their desks stay empty until you release the bookings and end the assignments.`,
      tools:
        bookings > 0
          ? showLink(call.link('/people/deactivated/release'), t`Release all bookings`, {
              class: 'button danger',
            })
          : undefined,
      content: html`${running}${pagedTable(call, {
        caption: t`People`,
        columns: columns(call, zone),
        found,
        rowsPerPage: USERS_PER_PAGE,
        page: call.query.page,
        empty: t`No deactivated people have bookings or assigned desks.`,
      })}`,
    }
  },
})

function columns(call: Call, zone: string): Column<DeactivatedHolder>[] {
  return [
    {
      label: t`Name`,
      isHead: true,
      show: ({ id, name }) => showLinkOrText(call.link(`/people/${id}`), name),
    },
    { label: t`E-mail`, show: ({ email }) => email },
    { label: t`Deactivated`, show: (row) => showRelativeInstant(row.deactivatedAt, call.now) },
    { label: t`Next booking`, show: ({ next }) => (next === null ? '–' : showInstant(next, zone)) },
    { label: t`Bookings`, isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    {
      label: t`Assigned`,
      show: ({ assigned }) =>
        assigned.map(({ id, name }) => html`${showLinkOrText(call.link(`/places/bookables/${id}`), name)} `),
    },
    {
      label: t`Actions`,
      isTools: true,
      show: ({ id, name, bookings }) =>
        bookings > 0 &&
        showLink(call.link(`/people/${id}/release`), t`Release`, {
          'aria-label': t`Release the bookings of ${name}`,
        }),
    },
  ]
}
