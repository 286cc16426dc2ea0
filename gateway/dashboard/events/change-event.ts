// The page that changes an event. Saving a cancelled event reinstates it, with the rooms chosen now.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { backPath, keepBack } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { findChoices, redirectWithVisitor, showFoundPeople } from './attendee-choices.ts'
import { missingEvent, requireEvent } from './event.ts'
import { eventForm, saveEvent } from './form.ts'
import {
  findMeeting,
  MEETING_EVERY_SECONDS,
  meetingQuery,
  selectedBy,
  showMeeting,
  showSlots,
} from './meeting.ts'
import { isCancelled } from './words.ts'

export const changeEvent = page({
  path: '/events/{id}/change',
  title: sentence`Change event`,
  section: 'Events',
  readers: 'front-desk',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  query: meetingQuery,
  missing: missingEvent,
  actions: (action) => ({
    change: action(eventForm, async (call) => {
      const present = await requireEvent(call)
      if (present.to <= call.now)
        throw new Refusal('event_ended', message`The event has ended and cannot be changed any more.`)
      await saveEvent(call, call.form, await findChoices(call, selectedBy(present)), present)
      return { redirectTo: call.link(keepBack(call, `/events/${present.id}`)), notice: t`Changes saved.` }
    }),
  }),
  live: {
    meeting: {
      everySeconds: MEETING_EVERY_SECONDS,
      show: async (call) => showSlots(call, await findMeeting(call, await requireEvent(call))),
    },
    found: {
      everySeconds: MEETING_EVERY_SECONDS,
      show: async (call) => showFoundPeople(call, selectedBy(await requireEvent(call))),
    },
  },
  async show(call) {
    const redirect = redirectWithVisitor(call)
    if (redirect) return redirect
    const present = await requireEvent(call)
    const { id, name } = present
    const own = keepBack(call, `/events/${id}`)
    const options = { action: 'change', submit: t`Save changes`, cancel: call.link(own) }
    return {
      breadcrumbs: [
        [t`Events`, backPath(call, '/events')],
        [name, own],
      ],
      title: t`Change “${name}”`,
      lead: t`Nothing changes until you save below.`,
      content: html`${
        isCancelled(present) &&
        html`<div class="notice warn"><p>${t`This event is cancelled and has no rooms. Saving reinstates it.`}</p></div>`
      }${await showMeeting(call, options, await findMeeting(call, present))}`,
    }
  },
})
