// The page that deactivates a user. It first says what will happen to their bookings.
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { backQuery, keepBack } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { describeKeptAssignments } from './assignments.ts'
import { userConfirmation } from './confirmation.ts'
import { missingUser } from './queries.ts'

export const deactivateUser = page({
  path: '/people/{id}/deactivate',
  title: sentence`Deactivate person`,
  section: 'People',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingUser,
  actions: (action) => ({
    deactivate: action(object({}), async (call) => {
      const { id } = call.params
      await call.dispatch('users.deactivate', { ids: [id] })
      return { redirectTo: call.link(keepBack(call, `/people/${id}`)), notice: t`Person deactivated.` }
    }),
  }),
  show: (call) =>
    userConfirmation(call, (name, bookings, assigned) => ({
      question: t`Deactivate ${name}?`,
      consequence: [
        t`They can no longer book, and the API no longer lists them.`,
        describeBookings(bookings),
        describeKeptAssignments(assigned),
        t`You can restore them later.`,
      ]
        .filter(Boolean)
        .join(' '),
      action: 'deactivate',
      submit: t`Deactivate`,
      cancelLabel: t`Keep them active`,
    })),
})

function describeBookings(bookings: number): string {
  if (bookings === 0) return t`They have no current or upcoming bookings.`
  if (bookings === 1) return t`Their booking stays until it is released.`
  return plural(
    bookings,
    'Their # booking stays until it is released.',
    'Their # bookings stay until they are released.',
  )
}
