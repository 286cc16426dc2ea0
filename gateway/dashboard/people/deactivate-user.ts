// People: deactivating one, after saying what becomes of their bookings.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { page } from '../framework/page.ts'
import { confirmation } from '../ui/forms.ts'
import { formatNumber } from '../ui/words.ts'
import { countFutureBookings } from './future-bookings.ts'
import { missingUser, requireUser } from './queries.ts'

export const deactivateUser = page({
  path: '/people/{id}/deactivate',
  title: 'Deactivate person',
  section: 'People',
  params: object({ id: pathId() }),
  missing: missingUser,
  actions: (action) => ({
    deactivate: action(object({}), async (call) => {
      const { id } = call.params
      await call.dispatch('users.deactivate', { ids: [id] })
      return { redirectTo: call.link(`/people/${id}`), notice: 'Person deactivated.' }
    }),
  }),
  async show(call) {
    const { id } = call.params
    const [user, bookings] = await Promise.all([
      requireUser(call.reads, id),
      countFutureBookings(call.reads, id, call.now),
    ])
    return {
      breadcrumbs: [
        ['People', '/people'],
        [user.name, `/people/${id}`],
      ],
      ...confirmation(call, {
        question: `Deactivate ${user.name}?`,
        consequence: `They can no longer book, and the API no longer lists them. ${describeBookings(bookings)} You can restore them later.`,
        action: 'deactivate',
        submit: 'Deactivate',
        cancel: call.link(`/people/${id}`),
        cancelLabel: 'Keep them active',
      }),
    }
  },
})

function describeBookings(bookings: number): string {
  if (bookings === 0) return 'They have no current or upcoming bookings.'
  if (bookings === 1) return 'Their booking stays until it is released.'
  return `Their ${formatNumber(bookings)} bookings stay until they are released.`
}
