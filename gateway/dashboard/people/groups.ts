// People: the groups, and how many are in each.
import { integer, object, queryNumber, text } from '../../../shared/contracts/fields.ts'
import { html } from '../../http/html.ts'
import { page } from '../framework/page.ts'
import { searchForm } from '../ui/forms.ts'
import { pager, table } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import { listGroups } from './queries.ts'

const A_PAGE = 50

export const groups = page({
  path: '/people/groups',
  title: 'Groups',
  section: 'People',
  query: object({
    q: text({ max: 255, min: 1 }),
    page: queryNumber(integer({ min: 1, max: 100_000 })).default(1),
  }),
  async show(call) {
    const { q, page: number } = call.query
    const offset = (number - 1) * A_PAGE
    const found = await listGroups(call.reads, q, { offset, limit: A_PAGE + 1 })
    const columns = [
      {
        label: 'Name',
        isHead: true,
        show: ({ id, name }: (typeof found)[number]) =>
          html`<a href="${call.link('/people', { group: id })}">${name}</a>`,
      },
      {
        label: 'Active people',
        isNumber: true,
        show: ({ members }: (typeof found)[number]) => formatNumber(members),
      },
    ]
    return {
      breadcrumbs: [['People', '/people']],
      lead: 'A group is created when the first person is added to it.',
      content: html`${searchForm(call, 'Search', (fields) =>
        fields.text({ name: 'q', label: 'Name', type: 'search', value: q }),
      )}
${table('Groups', columns, found.slice(0, A_PAGE), q === undefined ? 'There are no groups yet.' : 'No matches.')}
${pager(call, { page: number, hasMore: found.length > A_PAGE })}`,
    }
  },
})
