// People: deactivating one, after saying what becomes of their bookings.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { page } from '../framework/page.ts'
import { confirmation } from '../ui/forms.ts'
import { noPerson } from './person.ts'
import { findPerson, listComing } from './queries.ts'

const COUNTED_MAX = 1_000

export const deactivatePerson = page({
  path: '/people/{id}/deactivate',
  title: 'Deactivate person',
  section: 'People',
  params: object({ id: pathId() }),
  missing: noPerson,
  actions: (action) => ({
    deactivate: action(object({}), async (call) => {
      const { id } = call.params
      await call.dispatch('users.deactivate', { ids: [id] })
      return { redirectTo: call.link(`/people/${id}`), notice: 'Person deactivated.' }
    }),
  }),
  async show(call) {
    const { id } = call.params
    const [person, coming] = await Promise.all([
      findPerson(call.reads, id),
      listComing(call.reads, id, call.now, COUNTED_MAX),
    ])
    if (!person) throw new Refusal('not_found', noPerson)
    return {
      breadcrumbs: [
        ['People', '/people'],
        [person.name, `/people/${id}`],
      ],
      ...confirmation(call, {
        question: `Deactivate ${person.name}?`,
        consequence: `They can no longer book, and the API no longer lists them. ${held(coming.length)} You can restore them later.`,
        action: 'deactivate',
        submit: 'Deactivate',
        cancel: call.link(`/people/${id}`),
        cancelLabel: 'Keep them active',
      }),
    }
  },
})

function held(bookings: number): string {
  if (bookings === 0) return 'They have no current or upcoming bookings.'
  const number = bookings === COUNTED_MAX ? `${COUNTED_MAX} or more bookings` : `${bookings} bookings`
  return `Their ${bookings === 1 ? 'booking stays until it is' : `${number} stay until they are`} released.`
}
