// Settings: who may sign in to the dashboard, and with which role.

import { object } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { type Call, page } from '../kit/page.ts'
import { formatRole } from '../kit/roles.ts'
import { sentence, t } from '../locales/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { showLink } from '../ui/links.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import { parseSort, sortChoice } from '../ui/sorting.ts'
import type { Column } from '../ui/tables.ts'
import { providerLabel } from './fields.ts'
import { showMailBadge } from './mails.ts'
import { ADMINISTRATOR_ORDERS, type AdministratorRow, listAdministrators } from './queries.ts'

const ROWS_PER_PAGE = 50

export const administrators = page({
  path: '/settings/administrators',
  title: sentence`Administrators`,
  section: 'Settings',
  readers: 'owner',
  writers: 'owner',
  query: object({ sort: sortChoice(ADMINISTRATOR_ORDERS), page: pageNumber() }),
  async show(call) {
    const { page: number, sort } = call.query
    const { isLocal } = call.services.config.signIn
    const order = parseSort(sort, 'email')
    const slice = sliceOf(number, ROWS_PER_PAGE)
    const found = await listAdministrators(call.services.primary, call.provider?.issuer, slice, order)
    return {
      breadcrumbs: [[t`Settings`, '/settings']],
      lead: isLocal
        ? t`Who may sign in here, and what they may do.`
        : t`Everyone who has signed in with ${providerLabel(call)}, which also decides who has access.`,
      tools: isLocal
        ? showLink(call.link('/settings/administrators/new'), t`Invite`, { class: 'button primary' })
        : undefined,
      content: pagedTable(call, {
        caption: t`Administrators`,
        columns: columnsOf(call),
        found,
        rowsPerPage: ROWS_PER_PAGE,
        page: number,
        order,
        empty: t`No administrators.`,
      }),
    }
  },
})

function columnsOf(call: Call): Column<AdministratorRow>[] {
  const own = call.requireAdmin().id
  return [
    {
      label: t`E-mail`,
      isHead: true,
      sort: 'email',
      show: ({ id, email, isDisabled, isLinked, linkUntil, mail }) =>
        html`${email}${id === own && html` <span class="badge good">${t`you`}</span>`}${isDisabled && html` <span class="badge bad">${t`disabled`}</span>`}${isLinked && html` <span class="badge">${providerLabel(call)}</span>`}${linkUntil !== null && html` <span class="badge warn">${t`link sent`}</span>`}${showMailBadge(mail)}`,
    },
    { label: t`Role`, sort: 'role', show: ({ role }) => formatRole(role) },
    { label: t`Added`, sort: 'added', show: ({ createdAt }) => showRelativeInstant(createdAt, call.now) },
    {
      label: t`Last seen`,
      show: ({ lastUsedAt }) => (lastUsedAt === null ? '' : showRelativeInstant(lastUsedAt, call.now)),
    },
    {
      label: t`Actions`,
      isTools: true,
      show: ({ id, email }) =>
        showLink(call.link(`/settings/administrators/${id}`), t`Change`, {
          'aria-label': t`Change ${email}`,
        }),
    },
  ]
}
