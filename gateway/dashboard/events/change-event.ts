// Events: changing one. A cancelled one takes place again, with the rooms that are chosen for it now.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { html } from '../../http/html.ts'
import { page } from '../framework/page.ts'
import { haveRules } from '../places/rules/overriding.ts'
import { choicesQuery, findChoices, redirectWithVisitor, showAttendeeChoices } from './attendee-choices.ts'
import type { Selection } from './attendee-selection.ts'
import { missingEvent, requireEvent } from './event.ts'
import { eventForm, saveEvent, showEventForm } from './form.ts'
import type { EventDetails } from './queries.ts'
import { isCancelled } from './words.ts'

export const changeEvent = page({
  path: '/events/{id}/change',
  title: 'Change event',
  section: 'Events',
  readers: 'front-desk',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  query: choicesQuery,
  missing: missingEvent,
  actions: (action) => ({
    change: action(eventForm, async (call) => {
      const present = await requireEvent(call)
      if (present.to <= call.now)
        throw new Refusal('event_ended', 'The event has ended and cannot be changed any more.')
      await saveEvent(call, call.form, await findChoices(call, selectedBy(present)), present)
      return { redirectTo: call.link(`/events/${present.id}`), notice: 'Changes saved.' }
    }),
  }),
  async show(call) {
    const redirect = redirectWithVisitor(call)
    if (redirect) return redirect
    const present = await requireEvent(call)
    const { id, name } = present
    const choices = await findChoices(call, selectedBy(present))
    const hasRules = await haveRules(
      call.reads,
      choices.rooms.map(({ id }) => id),
    )
    const options = { action: 'change', submit: 'Save changes', cancel: call.link(`/events/${id}`) }
    return {
      breadcrumbs: [
        ['Events', '/events'],
        [name, `/events/${id}`],
      ],
      title: `Change “${name}”`,
      lead: 'Nothing changes until you save below.',
      content: html`${
        isCancelled(present) &&
        html`<div class="notice warn"><p>This event is cancelled and has no rooms. Saving reinstates it.</p></div>`
      }${await showAttendeeChoices(call, choices)}
<section class="card" aria-labelledby="event"><h2 id="event">Details</h2>
<div class="narrow" data-keep-typed>${showEventForm(call, options, choices, { present, hasRules, zone: present.fromZone })}</div></section>`,
    }
  },
})

function selectedBy({ attendees, roomIds }: EventDetails): Selection {
  return {
    users: attendees.map(({ userId }) => userId).filter((id) => id !== null),
    visitors: attendees.filter(({ userId }) => userId === null).map(({ email }) => email),
    rooms: roomIds,
  }
}
