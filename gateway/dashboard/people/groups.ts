// The page that lists groups and how many people are in each.
import { object, text } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { searchForm } from '../ui/forms.ts'
import { showLinkOrText } from '../ui/links.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import { parseSort, sortChoice } from '../ui/sorting.ts'
import type { Column } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import { GROUP_ORDERS, type GroupRow, listGroups } from './group-queries.ts'

const GROUPS_PER_PAGE = 50

export const groups = page({
  path: '/people/groups',
  title: sentence`Groups`,
  section: 'People',
  readers: 'reader',
  query: object({
    q: text({ max: 255, min: 1 }),
    sort: sortChoice(GROUP_ORDERS),
    page: pageNumber(),
  }),
  async show(call) {
    const { q, page, sort } = call.query
    const order = parseSort(sort, 'name')
    return {
      breadcrumbs: [[t`People`, '/people']],
      lead: t`A group is created when the first person is added to it.`,
      content: html`${searchForm(call, t`Search`, (fields) =>
        fields.text({ name: 'q', label: t`Name`, type: 'search', value: q }),
      )}
${pagedTable(call, {
  caption: t`Groups`,
  columns: columns(call),
  found: await listGroups(call.reads, q, sliceOf(page, GROUPS_PER_PAGE), order),
  rowsPerPage: GROUPS_PER_PAGE,
  page,
  order,
  empty: q === undefined ? t`There are no groups yet.` : t`No matches.`,
})}`,
    }
  },
})

function columns(call: Call): Column<GroupRow>[] {
  return [
    {
      label: t`Name`,
      isHead: true,
      sort: 'name',
      show: ({ id, name }) => showLinkOrText(call.link('/people', { group: id }), name),
    },
    {
      label: t`Active people`,
      isNumber: true,
      sort: 'members',
      show: ({ members }) => formatNumber(members),
    },
  ]
}
