// The page that cancels an event.
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { backPath, backQuery, keepBack } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { formatInstant } from '../time/instants.ts'
import { confirmation } from '../ui/forms.ts'
import { missingEvent, requireEvent } from './event.ts'

export const cancelEvent = page({
  path: '/events/{id}/cancel',
  title: sentence`Cancel event`,
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
        notice: t`Event cancelled. Its rooms are free again.`,
      }
    }),
  }),
  async show(call) {
    const { id, name, from, fromZone, attendees, roomIds } = await requireEvent(call)
    const consequences = [
      t`It starts on ${formatInstant(from, fromZone)}.`,
      plural(
        attendees.length,
        'One person is invited; Berth does not notify them.',
        '# people are invited; Berth does not notify them.',
      ),
      roomIds.length === 0
        ? t`No rooms are booked.`
        : plural(roomIds.length, 'Its room becomes free again.', 'Its # rooms become free again.'),
      t`The event stays listed here as cancelled.`,
    ]
    return {
      breadcrumbs: [
        [t`Events`, backPath(call, '/events')],
        [name, keepBack(call, `/events/${id}`)],
      ],
      ...confirmation(call, {
        question: t`Cancel “${name}”?`,
        consequence: consequences.join(' '),
        action: 'cancel',
        submit: t`Cancel event`,
        cancel: call.link(keepBack(call, `/events/${id}`)),
      }),
    }
  },
})
