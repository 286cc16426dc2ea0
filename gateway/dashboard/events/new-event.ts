// The page that creates an event, in a single step.
import { backPath, keepBack } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { findChoices, redirectWithVisitor, showFoundPeople } from './attendee-choices.ts'
import { eventForm, saveEvent } from './form.ts'
import {
  findMeeting,
  MEETING_EVERY_SECONDS,
  meetingQuery,
  selectedBy,
  showMeeting,
  showSlots,
} from './meeting.ts'

const nothing = selectedBy(undefined)

export const newEvent = page({
  path: '/events/new',
  title: sentence`New event`,
  section: 'Events',
  readers: 'front-desk',
  writers: 'front-desk',
  query: meetingQuery,
  actions: (action) => ({
    create: action(eventForm, async (call) => {
      const id = await saveEvent(call, call.form, await findChoices(call, nothing))
      return {
        redirectTo: call.link(keepBack(call, `/events/${id}`)),
        notice: t`Event created.`,
      }
    }),
  }),
  live: {
    meeting: {
      everySeconds: MEETING_EVERY_SECONDS,
      show: async (call) => showSlots(call, await findMeeting(call)),
    },
    found: { everySeconds: MEETING_EVERY_SECONDS, show: (call) => showFoundPeople(call, nothing) },
  },
  async show(call) {
    const redirect = redirectWithVisitor(call)
    if (redirect) return redirect
    const back = backPath(call, '/events')
    const options = { action: 'create', submit: t`Create event`, cancel: call.link(back) }
    return {
      breadcrumbs: [[t`Events`, back]],
      lead: t`Choose when it is, then people and rooms.`,
      content: await showMeeting(call, options, await findMeeting(call)),
    }
  },
})
