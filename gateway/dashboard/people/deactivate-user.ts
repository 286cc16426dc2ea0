// People: deactivating one, after saying what becomes of their bookings.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { backQuery, keepBack } from '../framework/back.ts'
import { page } from '../framework/page.ts'
import { formatNumber } from '../ui/words.ts'
import { describeKeptAssignments } from './assignments.ts'
import { userConfirmation } from './confirmation.ts'
import { missingUser } from './queries.ts'

export const deactivateUser = page({
  path: '/people/{id}/deactivate',
  title: 'Deactivate person',
  section: 'People',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingUser,
  actions: (action) => ({
    deactivate: action(object({}), async (call) => {
      const { id } = call.params
      await call.dispatch('users.deactivate', { ids: [id] })
      return { redirectTo: call.link(keepBack(call, `/people/${id}`)), notice: 'Person deactivated.' }
    }),
  }),
  show: (call) =>
    userConfirmation(call, (name, bookings, assigned) => ({
      question: `Deactivate ${name}?`,
      consequence: [
        'They can no longer book, and the API no longer lists them.',
        describeBookings(bookings),
        describeKeptAssignments(assigned),
        'You can restore them later.',
      ]
        .filter(Boolean)
        .join(' '),
      action: 'deactivate',
      submit: 'Deactivate',
      cancelLabel: 'Keep them active',
    })),
})

function describeBookings(bookings: number): string {
  if (bookings === 0) return 'They have no current or upcoming bookings.'
  if (bookings === 1) return 'Their booking stays until it is released.'
  return `Their ${formatNumber(bookings)} bookings stay until they are released.`
}
