// Events: creating one. People and rooms are chosen first, by search; then comes the form.
import { html } from '../../http/html.ts'
import { page } from '../framework/page.ts'
import { haveRules } from '../places/rules/overriding.ts'
import { findCommonZone } from '../search/choices.ts'
import { choicesQuery, findChoices, redirectWithVisitor, showAttendeeChoices } from './attendee-choices.ts'
import { eventForm, saveEvent, showEventForm } from './form.ts'

const nothing = { users: [], rooms: [], visitors: [] }

export const newEvent = page({
  path: '/events/new',
  title: 'New event',
  section: 'Events',
  readers: 'front-desk',
  writers: 'front-desk',
  query: choicesQuery,
  actions: (action) => ({
    create: action(eventForm, async (call) => {
      const id = await saveEvent(call, call.form, await findChoices(call, nothing))
      return {
        redirectTo: call.link(`/events/${id}`),
        notice: 'Event created.',
      }
    }),
  }),
  async show(call) {
    const redirect = redirectWithVisitor(call)
    if (redirect) return redirect
    const [choices, zone] = await Promise.all([findChoices(call, nothing), findCommonZone(call.reads)])
    const hasRules = await haveRules(
      call.reads,
      choices.rooms.map(({ id }) => id),
    )
    const options = { action: 'create', submit: 'Create event', cancel: call.link('/events') }
    return {
      breadcrumbs: [['Events', '/events']],
      lead: 'Choose people and rooms first, then enter the details.',
      content: html`${await showAttendeeChoices(call, choices)}
<section class="card" aria-labelledby="event"><h2 id="event">Details</h2>
${
  choices.users.length === 0
    ? html`<p class="soft">Add at least one person first: every event needs an organizer.</p>`
    : html`<div class="narrow" data-keep-typed>${showEventForm(call, options, choices, { zone, hasRules })}</div>`
}</section>`,
    }
  },
})
