// The pages that create, change and cancel an event. Saving a cancelled event reinstates it, with the rooms
// chosen on the page.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { getSeveralScope, scopeForm, showScope } from '../../pages/bookings/series-scope.ts'
import { addReturnPath, findBackPath } from '../../pages/page/back.ts'
import { canMail } from '../../pages/page/can-mail.ts'
import { definePage } from '../../pages/page/page.ts'
import { formatInstant } from '../../pages/time/instants.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { findAttendeeChoices, redirectWithVisitor, showFoundPeople } from './attendee-choices.ts'
import { eventPages, isCancelled } from './event.ts'
import { eventForm, saveEvent } from './form.ts'
import {
  findMeeting,
  type MeetingCall,
  meetingQuery,
  showMeeting,
  showSlots,
  toSelection,
} from './meeting.ts'
import type { EventDetails } from './queries.ts'

const REFRESH_SECONDS = 15

const createLiveParts = <PageCall extends MeetingCall>(
  findPresent: (call: PageCall) => Promise<EventDetails | undefined>,
) => ({
  meeting: {
    everySeconds: REFRESH_SECONDS,
    show: async (call: PageCall) => showSlots(call, await findMeeting(call, await findPresent(call))),
  },
  found: {
    everySeconds: REFRESH_SECONDS,
    show: async (call: PageCall) => showFoundPeople(call, toSelection(await findPresent(call))),
  },
})

export const newEventPage = definePage({
  path: '/events/new',
  title: sentence`New meeting`,
  section: 'Events',
  readers: 'front-desk',
  writers: 'front-desk',
  query: meetingQuery,
  actions: (action) => ({
    create: action(eventForm, async (call) => {
      const id = await saveEvent(call, call.form, await findAttendeeChoices(call, toSelection(undefined)))
      return { redirectTo: call.link(addReturnPath(call, `/events/${id}`)), notice: t`Meeting created.` }
    }),
  }),
  live: createLiveParts<MeetingCall>(async () => undefined),
  async show(call) {
    const redirect = redirectWithVisitor(call)
    if (redirect) return redirect
    const back = findBackPath(call, '/events')
    const options = { action: 'create', submit: t`Create meeting`, cancel: call.link(back) }
    return {
      breadcrumbs: [[t`Meetings`, back]],
      lead: t`Choose the time first, then people and rooms.`,
      content: await showMeeting(call, options, await findMeeting(call)),
    }
  },
})

export const changeEventPage = eventPages.page({
  path: '/change',
  title: sentence`Change meeting`,
  query: meetingQuery,
  actions: (action) => ({
    change: action(eventForm, async (call) => {
      const present = await eventPages.require(call)
      if (present.to <= call.now)
        throw new Refusal('event_ended', message`The meeting has ended and can no longer be changed.`)
      await saveEvent(call, call.form, await findAttendeeChoices(call, toSelection(present)), present)
      return { redirectTo: eventPages.address(call), notice: t`Changes saved.` }
    }),
  }),
  live: createLiveParts((call: MeetingCall & { params: { id: number } }) => eventPages.require(call)),
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

export const cancelEventPage = eventPages.form({
  path: '/cancel',
  title: sentence`Cancel meeting`,
  action: 'cancel',
  tone: 'danger',
  heading: ({ name }) => t`Cancel “${name}”?`,
  intro: (found, call) => describeCancelling(found, found.invites && canMail(call)).join(' '),
  form: scopeForm,
  fields: (fields, { seriesId }) => showScope(fields, seriesId),
  async act(call) {
    const { id } = call.params
    const scope = getSeveralScope(call.form)
    if (scope) await call.dispatch('event-series.cancel-events', { id, scope })
    else await call.dispatch('events.cancel', { id })
    const notice = scope
      ? t`Meetings cancelled. Their rooms are free again.`
      : t`Meeting cancelled. Its rooms are free again.`
    return { redirectTo: eventPages.address(call), notice }
  },
})

const describeCancelling = (
  { from, fromZone, attendees, roomIds }: EventDetails,
  sendsMail: boolean,
): string[] => [
  t`It starts on ${formatInstant(from, fromZone)}.`,
  sendsMail
    ? plural(
        attendees.length,
        'One person is invited and gets an e-mail about the cancellation.',
        '# people are invited and get an e-mail about the cancellation.',
      )
    : plural(
        attendees.length,
        'One person is invited; Berth does not notify them.',
        '# people are invited; Berth does not notify them.',
      ),
  roomIds.length === 0
    ? t`No rooms are booked.`
    : plural(roomIds.length, 'Its room becomes free again.', 'Its # rooms become free again.'),
  t`The meeting stays listed here as cancelled.`,
]
