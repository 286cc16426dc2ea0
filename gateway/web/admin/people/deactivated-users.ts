// The page of deactivated users who still have bookings, or assigned desks, rooms or parking spots.
import type pg from 'pg'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { html } from '../../../html/html.ts'
import {
  column,
  instantColumn,
  nullableColumn,
  numberColumn,
  selectRows,
  selectSlice,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { sentence, t } from '../../locales/translate.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { showInstant, showRelativeInstant } from '../../pages/time/instants.ts'
import { defineListPage } from '../../pages/ui/declared-pages.ts'
import { formatNumber, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showRunningRelease } from './release-progress.ts'

const HOLDER_COLUMNS = {
  id: numberColumn('users.id'),
  name: textColumn('users.name'),
  email: textColumn('users.email'),
  deactivatedAt: instantColumn('users.deactivated_at'),
  bookings: numberColumn('coalesce(held.bookings, 0)'),
  next: nullableColumn(instantColumn('held.next')),
  assigned: column<Array<{ id: number; name: string }>>(`coalesce(given.assigned, '[]')`),
}

const HOLDERS_FROM = `users
  LEFT JOIN (
    SELECT users.id, count(*)::int AS bookings, min(lower(bookings.during)) AS next
    FROM users JOIN bookings ON bookings.user_id = users.id
    WHERE users.deactivated_at IS NOT NULL AND bookings.during && tstzrange($1, NULL)
    GROUP BY users.id
  ) AS held ON held.id = users.id
  LEFT JOIN (
    SELECT users.id, json_agg(json_build_object('id', bookables.id, 'name', bookables.name)
      ORDER BY ${naturalSql('bookables.name')}, bookables.id) AS assigned
    FROM bookable_assignees
    JOIN users ON users.id = bookable_assignees.user_id
    JOIN bookables ON bookables.id = bookable_assignees.bookable_id
    WHERE users.deactivated_at IS NOT NULL AND bookables.deleted_at IS NULL
    GROUP BY users.id
  ) AS given ON given.id = users.id
  WHERE users.deactivated_at IS NOT NULL AND (held.id IS NOT NULL OR given.id IS NOT NULL)`

export async function countDeactivatedHolders(reads: pg.Pool, now: string) {
  const counts = {
    users: numberColumn('count(*)::int'),
    bookings: numberColumn('coalesce(sum(held.bookings), 0)::int'),
    assigned: numberColumn('coalesce(sum(json_array_length(given.assigned)), 0)::int'),
  }
  return getOnlyRow(await selectRows(reads, counts, HOLDERS_FROM, [now]))
}

export const deactivatedUsersPage = defineListPage({
  path: '/people/deactivated',
  title: sentence`Deactivated people with bookings or desks`,
  section: 'People',
  // Users with the most bookings come first.
  find: ({ reads, now }, slice) =>
    selectSlice(reads, HOLDER_COLUMNS, HOLDERS_FROM, slice, {
      values: [now],
      orderBy: '"bookings" DESC, lower(users.name), users.id',
    }),
  async view(call) {
    const [{ bookings }, above] = await Promise.all([
      countDeactivatedHolders(call.reads, call.now),
      showRunningRelease(call),
    ])
    const releaseAll = call.link('/people/deactivated/release')
    return {
      breadcrumbs: [[t`People`, '/people']],
      lead: t`Their desks stay empty until you release the bookings and end the assignments.`,
      tools: bookings > 0 ? showLink(releaseAll, t`Release all bookings`, { class: 'button danger' }) : null,
      above,
    }
  },
  columns: async (call) => {
    const zone = await findCommonZone(call.reads)
    return [
      { label: t`Name`, show: ({ id, name }) => showLinkOrText(call.link(`/people/${id}`), name) },
      { label: t`E-mail`, show: ({ email }) => email },
      { label: t`Deactivated`, show: (row) => showRelativeInstant(row.deactivatedAt, call.now) },
      { label: t`Next booking`, show: ({ next }) => (next === null ? '–' : showInstant(next, zone)) },
      { label: t`Bookings`, isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
      {
        label: t`Assigned`,
        show: ({ assigned }) =>
          assigned.map(
            ({ id, name }) => html`${showLinkOrText(call.link(`/places/bookables/${id}`), name)} `,
          ),
      },
      {
        label: t`Actions`,
        isTools: true,
        show({ id, name, bookings }) {
          const label = { 'aria-label': t`Release the bookings of ${name}` }
          return bookings > 0 && showLink(call.link(`/people/${id}/release`), t`Release`, label)
        },
      },
    ]
  },
  empty: () => t`No deactivated people have bookings or assigned desks.`,
})
