// The pages that create, change and cancel an event. Saving a cancelled event reinstates it, with the rooms
// chosen now.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { backPath, withReturnPath } from '../../pages/page/back.ts'
import { page } from '../../pages/page/page.ts'
import { formatInstant } from '../../pages/time/instants.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { findChoices, redirectWithVisitor, showFoundPeople } from './attendee-choices.ts'
import { eventPages, isCancelled } from './event.ts'
import { eventForm, saveEvent } from './form.ts'
import { findMeeting, type MeetingCall, meetingQuery, selectedBy, showMeeting, showSlots } from './meeting.ts'
import type { EventDetails } from './queries.ts'

const EVERY_SECONDS = 15

const liveParts = <PageCall extends MeetingCall>(
  findPresent: (call: PageCall) => Promise<EventDetails | undefined>,
) => ({
  meeting: {
    everySeconds: EVERY_SECONDS,
    show: async (call: PageCall) => showSlots(call, await findMeeting(call, await findPresent(call))),
  },
  found: {
    everySeconds: EVERY_SECONDS,
    show: async (call: PageCall) => showFoundPeople(call, selectedBy(await findPresent(call))),
  },
})

export const newEvent = page({
  path: '/events/new',
  title: sentence`New meeting`,
  section: 'Events',
  readers: 'front-desk',
  writers: 'front-desk',
  query: meetingQuery,
  actions: (action) => ({
    create: action(eventForm, async (call) => {
      const id = await saveEvent(call, call.form, await findChoices(call, selectedBy(undefined)))
      return { redirectTo: call.link(withReturnPath(call, `/events/${id}`)), notice: t`Meeting created.` }
    }),
  }),
  live: liveParts<MeetingCall>(async () => undefined),
  async show(call) {
    const redirect = redirectWithVisitor(call)
    if (redirect) return redirect
    const back = backPath(call, '/events')
    const options = { action: 'create', submit: t`Create meeting`, cancel: call.link(back) }
    return {
      breadcrumbs: [[t`Meetings`, back]],
      lead: t`Choose when it is, then people and rooms.`,
      content: await showMeeting(call, options, await findMeeting(call)),
    }
  },
})

export const changeEvent = eventPages.page({
  path: '/change',
  title: sentence`Change meeting`,
  query: meetingQuery,
  actions: (action) => ({
    change: action(eventForm, async (call) => {
      const present = await eventPages.require(call)
      if (present.to <= call.now)
        throw new Refusal('event_ended', message`The meeting has ended and cannot be changed any more.`)
      await saveEvent(call, call.form, await findChoices(call, selectedBy(present)), present)
      return { redirectTo: eventPages.address(call), notice: t`Changes saved.` }
    }),
  }),
  live: liveParts((call: MeetingCall & { params: { id: number } }) => eventPages.require(call)),
  async show(call, present) {
    const redirect = redirectWithVisitor(call)
    if (redirect) return redirect
    const cancel = eventPages.address(call)
    const options = { action: 'change', submit: t`Save changes`, cancel }
    return {
      title: t`Change “${present.name}”`,
      lead: t`Nothing changes until you save below.`,
      content: html`${
        isCancelled(present) &&
        showNotice('warn', t`This meeting is cancelled and has no rooms. Saving reinstates it.`)
      }${await showMeeting(call, options, await findMeeting(call, present))}`,
    }
  },
})

export const cancelEvent = eventPages.form({
  path: '/cancel',
  title: sentence`Cancel meeting`,
  action: 'cancel',
  tone: 'danger',
  heading: ({ name }) => t`Cancel “${name}”?`,
  intro: (found) => describeCancelling(found).join(' '),
  async act(call) {
    await call.dispatch('events.cancel', { id: call.params.id })
    return { redirectTo: eventPages.address(call), notice: t`Meeting cancelled. Its rooms are free again.` }
  },
})

const describeCancelling = ({ from, fromZone, attendees, roomIds }: EventDetails): string[] => [
  t`It starts on ${formatInstant(from, fromZone)}.`,
  plural(
    attendees.length,
    'One person is invited; Berth does not notify them.',
    '# people are invited; Berth does not notify them.',
  ),
  roomIds.length === 0
    ? t`No rooms are booked.`
    : plural(roomIds.length, 'Its room becomes free again.', 'Its # rooms become free again.'),
  t`The meeting stays listed here as cancelled.`,
]
