// Events: calling one off.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { page } from '../framework/page.ts'
import { formatInstant } from '../time/instants.ts'
import { confirmation } from '../ui/forms.ts'
import { noEvent, requireEvent } from './event.ts'

export const cancelEvent = page({
  path: '/events/{id}/cancel',
  title: 'Cancel an event',
  section: 'Events',
  params: object({ id: pathId() }),
  missing: noEvent,
  actions: (action) => ({
    cancel: action(object({}), async (call) => {
      const { id } = call.params
      await call.dispatch('events.cancel', { id })
      return {
        redirectTo: call.link(`/events/${id}`),
        notice: 'The event is cancelled, and its rooms are free.',
      }
    }),
  }),
  async show(call) {
    const { id, name, from, fromZone, attendees, roomIds } = await requireEvent(call)
    const rooms = roomIds.length === 1 ? 'Its room is' : `Its ${roomIds.length} rooms are`
    const freed = roomIds.length === 0 ? 'It has no rooms.' : `${rooms} free again.`
    const people = attendees.length === 1 ? 'One person attends it' : `${attendees.length} people attend it`
    return {
      breadcrumbs: [
        ['Events', '/events'],
        [name, `/events/${id}`],
      ],
      ...confirmation(call, {
        question: `Cancel “${name}”?`,
        consequence: `It begins at ${formatInstant(from, fromZone)}. ${people}; Berth sends no mail about it. ${freed} The event stays readable here, as cancelled.`,
        action: 'cancel',
        submit: 'Cancel the event',
        cancel: call.link(`/events/${id}`),
        cancelLabel: 'Keep it',
      }),
    }
  },
})
