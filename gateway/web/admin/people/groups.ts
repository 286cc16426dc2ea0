// The page of all groups, with the number of people in each.
import { text } from '../../../../shared/schemas/fields.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { toSearchPattern } from '../../../reads/rows/like-patterns.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { sentence, t } from '../../locales/translate.ts'
import { defineListPage } from '../../pages/ui/declared-pages.ts'
import { showFilterBar } from '../../pages/ui/forms.ts'
import { formatNumber, showLinkOrText } from '../../pages/ui/parts.ts'
import { orderSql } from '../../pages/ui/sorting.ts'

const GROUP_ORDERS = { name: naturalSql('groups.name'), members: 'members' }

const GROUP_COLUMNS = {
  id: rows.numberColumn('groups.id'),
  name: rows.textColumn('groups.name'),
  members: rows.numberColumn(`(SELECT count(*)::int FROM group_members JOIN users ON users.id = user_id
    WHERE group_id = groups.id AND users.deactivated_at IS NULL)`),
}

export const groupsPage = defineListPage({
  path: '/people/groups',
  title: sentence`Groups`,
  section: 'People',
  readers: 'reader',
  query: { q: text({ max: 255, min: 1 }) },
  orders: GROUP_ORDERS,
  usual: 'name',
  find: ({ reads, query: { q } }, slice, order) =>
    rows.selectSlice(
      reads,
      GROUP_COLUMNS,
      'groups WHERE $1::text IS NULL OR lower(groups.name) LIKE $1',
      slice,
      {
        values: [toSearchPattern(q?.toLowerCase())],
        orderBy: orderSql(GROUP_ORDERS, order, 'groups.id'),
      },
    ),
  view: (call) => ({
    breadcrumbs: [[t`People`, '/people']],
    lead: t`A group is created when the first person is added to it.`,
    above: showFilterBar(call, (fields) => fields.search('q', t`Name`)),
  }),
  columns: (call) => [
    {
      label: t`Name`,
      sort: 'name',
      show: ({ id, name }) => showLinkOrText(call.link(`/people/groups/${id}`), name),
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
