// The page that lists groups and how many people are in each.
import type pg from 'pg'
import { text } from '../../../shared/schemas/fields.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import { searchPattern } from '../../data/like-patterns.ts'
import { sentence, t } from '../locales/translate.ts'
import * as rows from '../search/rows.ts'
import { listPage } from '../ui/declared-pages.ts'
import { searchForm } from '../ui/forms.ts'
import { formatNumber, showLinkOrText } from '../ui/parts.ts'
import { orderSql } from '../ui/sorting.ts'

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
    above: searchForm(call, t`Search`, (fields) => fields.search('q', t`Name`)),
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

export const findGroup = (reads: pg.Pool, id: number): Promise<{ name: string } | undefined> =>
  rows.selectRow(reads, { name: GROUP.name }, 'groups WHERE id = $1', [id])
