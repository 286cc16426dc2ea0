// People: releasing the bookings of deactivated ones, of one of them or of all.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import type { ReplyOf } from '../../../shared/jobs.ts'
import { page } from '../framework/page.ts'
import { confirmation } from '../ui/forms.ts'
import { formatCount, formatNumber } from '../ui/words.ts'
import { userConfirmation } from './confirmation.ts'
import { missingUser } from './queries.ts'
import { countDeactivatedHolders } from './user-bookings.ts'

const question = {
  consequence:
    'Upcoming bookings are deleted, and current ones end now. Others can book these times right away. This cannot be undone.',
  action: 'release',
  cancelLabel: 'Keep them',
}

export const releaseAllBookings = page({
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
    const { bookings } = await countDeactivatedHolders(call.reads, call.now)
    return {
      breadcrumbs: [
        ['People', '/people'],
        ['Deactivated', '/people/deactivated'],
      ],
      ...confirmation(call, {
        ...question,
        question: `Release ${formatBookings(bookings)} of deactivated people?`,
        submit: 'Release all',
        cancel: call.link('/people/deactivated'),
      }),
    }
  },
})

export const releaseUserBookings = page({
  path: '/people/{id}/release',
  title: 'Release bookings',
  section: 'People',
  params: object({ id: pathId() }),
  missing: missingUser,
  actions: (action) => ({
    release: action(object({}), async (call) => ({
      notice: describeReleased(await call.dispatch('bookings.release', { user_ids: [call.params.id] })),
      redirectTo: call.link(`/people/${call.params.id}`),
    })),
  }),
  show: (call) =>
    userConfirmation(call, (name, bookings) => ({
      ...question,
      question: `Release ${formatBookings(bookings)} of ${name}?`,
      submit: 'Release',
    })),
})

function formatBookings(bookings: number): string {
  return bookings === 0 ? 'the bookings' : formatCount(bookings, 'booking')
}

function describeReleased({ data: { deleted, ended } }: ReplyOf<'bookings.release'>): string {
  if (deleted + ended === 0) return 'There was nothing to release.'
  return `Bookings released: ${formatNumber(deleted)} deleted, ${formatNumber(ended)} ended now.`
}
