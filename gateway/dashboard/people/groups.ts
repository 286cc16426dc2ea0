// The page that lists groups and how many people are in each.
import type pg from 'pg'
import { object, text } from '../../../shared/schemas/fields.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import { likePattern } from '../../data/like-patterns.ts'
import { html } from '../../http/html.ts'
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import * as rows from '../search/rows.ts'
import { searchForm } from '../ui/forms.ts'
import { showLinkOrText } from '../ui/links.ts'
import { pagedTable, pageNumber, type Slice, sliceOf, toListed, totalSql } from '../ui/paging.ts'
import { type Order, orderSql, parseSort, sortChoice } from '../ui/sorting.ts'
import { formatNumber } from '../ui/words.ts'

const GROUPS_PER_PAGE = 50
const ORDERS = { name: naturalSql('groups.name'), members: 'members' }
type GroupOrder = Order<keyof typeof ORDERS>

const FOUND = 'groups WHERE $1::text IS NULL OR lower(groups.name) LIKE $1'
const GROUP = {
  id: rows.number('groups.id'),
  name: rows.text('groups.name'),
  members: rows.number(`(SELECT count(*)::int FROM group_members JOIN users ON users.id = user_id
    WHERE group_id = groups.id AND users.deactivated_at IS NULL)`),
  total: rows.number(totalSql(FOUND)),
}

export const groups = page({
  path: '/people/groups',
  title: sentence`Groups`,
  section: 'People',
  readers: 'reader',
  query: object({ q: text({ max: 255, min: 1 }), sort: sortChoice(ORDERS), page: pageNumber() }),
  async show(call) {
    const { q, page, sort } = call.query
    const order = parseSort(sort, 'name')
    const list = pagedTable(call, {
      caption: t`Groups`,
      columns: [
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
      ],
      found: await listGroups(call.reads, q, sliceOf(page, GROUPS_PER_PAGE), order),
      rowsPerPage: GROUPS_PER_PAGE,
      page,
      order,
      empty: q === undefined ? t`There are no groups yet.` : t`No matches.`,
    })
    return {
      breadcrumbs: [[t`People`, '/people']],
      lead: t`A group is created when the first person is added to it.`,
      content: html`${searchForm(call, t`Search`, (fields) => fields.search('q', t`Name`))}
${list}`,
    }
  },
})

async function listGroups(reads: pg.Pool, search: string | undefined, slice: Slice, order: GroupOrder) {
  const pattern = search === undefined ? null : likePattern(search.toLowerCase())
  const shown = `${FOUND} ORDER BY ${orderSql(ORDERS, order, 'groups.id')} LIMIT $2 OFFSET $3`
  return toListed(await rows.selectRows(reads, GROUP, shown, [pattern, slice.limit, slice.offset]))
}

export const findGroup = (reads: pg.Pool, id: number): Promise<{ name: string } | undefined> =>
  rows.selectRow(reads, { name: GROUP.name }, 'groups WHERE id = $1', [id])
