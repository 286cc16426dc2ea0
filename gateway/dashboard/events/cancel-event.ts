// Events: calling one off.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { backPath, backQuery, keepBack } from '../framework/back.ts'
import { page } from '../framework/page.ts'
import { formatInstant } from '../time/instants.ts'
import { confirmation } from '../ui/forms.ts'
import { missingEvent, requireEvent } from './event.ts'

export const cancelEvent = page({
  path: '/events/{id}/cancel',
  title: 'Cancel event',
  section: 'Events',
  readers: 'front-desk',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingEvent,
  actions: (action) => ({
    cancel: action(object({}), async (call) => {
      const { id } = call.params
      await call.dispatch('events.cancel', { id })
      return {
        redirectTo: call.link(keepBack(call, `/events/${id}`)),
        notice: 'Event cancelled. Its rooms are free again.',
      }
    }),
  }),
  async show(call) {
    const { id, name, from, fromZone, attendees, roomIds } = await requireEvent(call)
    const rooms = roomIds.length === 1 ? 'Its room becomes' : `Its ${roomIds.length} rooms become`
    const freed = roomIds.length === 0 ? 'No rooms.' : `${rooms} free again.`
    const people = attendees.length === 1 ? 'One person is invited' : `${attendees.length} people are invited`
    return {
      breadcrumbs: [
        ['Events', backPath(call, '/events')],
        [name, keepBack(call, `/events/${id}`)],
      ],
      ...confirmation(call, {
        question: `Cancel “${name}”?`,
        consequence: `It starts on ${formatInstant(from, fromZone)}. ${people}; Berth does not notify them. ${freed} The event stays listed here as cancelled.`,
        action: 'cancel',
        submit: 'Cancel event',
        cancel: call.link(keepBack(call, `/events/${id}`)),
      }),
    }
  },
})
