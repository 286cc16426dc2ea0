// People who are deactivated and still hold bookings; and giving these bookings back, of one of them or of all.
import { integer, object, pathId, queryNumber } from '../../../shared/contracts/fields.ts'
import type { ReplyOf } from '../../../shared/jobs.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { html } from '../../http/html.ts'
import { type Call, page, type View } from '../framework/page.ts'
import { showInstant, showRelativeInstant } from '../time/instants.ts'
import { confirmation } from '../ui/forms.ts'
import { type Column, pager, table } from '../ui/tables.ts'
import { formatCount, formatNumber } from '../ui/words.ts'
import { noPerson } from './person.ts'
import { countHeld, findPerson, type HolderRow, listComing, listHolders } from './queries.ts'

const A_PAGE = 50
const COUNTED_MAX = 1_000
const breadcrumbs: View['breadcrumbs'] = [['People', '/people']]

export const deactivatedPeople = page({
  path: '/people/deactivated',
  title: 'Deactivated people with bookings',
  section: 'People',
  query: object({ page: queryNumber(integer({ min: 1, max: 100_000 })).default(1) }),
  async show(call) {
    const number = call.query.page
    const [holders, { people }] = await Promise.all([
      listHolders(call.reads, call.now, { offset: (number - 1) * A_PAGE, limit: A_PAGE + 1 }),
      countHeld(call.reads, call.now),
    ])
    return {
      breadcrumbs,
      lead: 'Their desks stay empty until you release the bookings.',
      tools:
        people > 0
          ? html`<a class="button danger" href="${call.link('/people/deactivated/release')}">Release all bookings</a>`
          : undefined,
      content: html`${table('People', columns(call), holders.slice(0, A_PAGE), 'No deactivated people have bookings.')}
${pager(call, { page: number, hasMore: holders.length > A_PAGE })}`,
    }
  },
})

export const releaseAll = page({
  path: '/people/deactivated/release',
  title: 'Release all bookings of deactivated people',
  section: 'People',
  actions: (action) => ({
    release: action(object({}), async (call) => ({
      notice: describeReleased(await call.dispatch('bookings.release', {})),
      redirectTo: call.link('/people/deactivated'),
    })),
  }),
  async show(call) {
    const { people, bookings } = await countHeld(call.reads, call.now)
    return {
      breadcrumbs: [...breadcrumbs, ['Deactivated', '/people/deactivated']],
      ...confirmation(call, {
        question: `Release ${formatBookings(bookings)} of ${people === 1 ? 'one person' : `${people} people`}?`,
        consequence,
        action: 'release',
        submit: 'Release all',
        cancel: call.link('/people/deactivated'),
        cancelLabel: 'Keep them',
      }),
    }
  },
})

export const releasePerson = page({
  path: '/people/{id}/release',
  title: 'Release bookings',
  section: 'People',
  params: object({ id: pathId() }),
  missing: noPerson,
  actions: (action) => ({
    release: action(object({}), async (call) => ({
      notice: describeReleased(await call.dispatch('bookings.release', { user_ids: [call.params.id] })),
      redirectTo: call.link(`/people/${call.params.id}`),
    })),
  }),
  async show(call) {
    const { id } = call.params
    const [person, coming] = await Promise.all([
      findPerson(call.reads, id),
      listComing(call.reads, id, call.now, COUNTED_MAX),
    ])
    if (!person) throw new Refusal('not_found', noPerson)
    return {
      breadcrumbs: [...breadcrumbs, [person.name, `/people/${id}`]],
      ...confirmation(call, {
        question: `Release ${formatBookings(coming.length)} of ${person.name}?`,
        consequence,
        action: 'release',
        submit: 'Release',
        cancel: call.link(`/people/${id}`),
        cancelLabel: 'Keep them',
      }),
    }
  },
})

const consequence =
  'Upcoming bookings are deleted, and current ones end now. Others can book these times right away. This cannot be undone.'

function columns(call: Call): Column<HolderRow>[] {
  return [
    {
      label: 'Name',
      isHead: true,
      show: ({ id, name }) => html`<a href="${call.link(`/people/${id}`)}">${name}</a>`,
    },
    { label: 'E-mail', show: ({ email }) => email },
    { label: 'Deactivated', show: (row) => showRelativeInstant(row.deactivatedAt, call.now) },
    { label: 'Next booking', show: ({ next }) => showInstant(next) },
    { label: 'Bookings', isNumber: true, show: ({ held }) => held },
    {
      label: 'Actions',
      isTools: true,
      show: ({ id, name }) =>
        html`<a href="${call.link(`/people/${id}/release`)}" aria-label="Release the bookings of ${name}">Release</a>`,
    },
  ]
}

function formatBookings(number: number): string {
  if (number === 1) return 'one booking'
  return number === 0 ? 'the bookings' : formatCount(number, 'booking')
}

function describeReleased({ data: { deleted, ended } }: ReplyOf<'bookings.release'>): string {
  if (deleted + ended === 0) return 'There was nothing to release.'
  return `Bookings released: ${formatNumber(deleted)} deleted, ${formatNumber(ended)} ended now.`
}
