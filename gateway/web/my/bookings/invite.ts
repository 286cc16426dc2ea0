// The page that invites people to a booked room, which turns the booking into a meeting.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId, required, text } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { definePage } from '../../pages/page/page.ts'
import { formatSpan } from '../../pages/time/spans.ts'
import { form } from '../../pages/ui/forms.ts'
import {
  formatDefaultTitle,
  listAmbiguousNames,
  peopleFields,
  requirePeople,
  showPeopleField,
  toAttendees,
} from '../book/invited.ts'
import { canInvite, findOwnBooking } from './own-bookings.ts'

const NO_ROOM_BOOKING = message`You have no room booking with this number.`

const inviteForm = object({
  ...peopleFields,
  people: required(peopleFields.people),
  title: text({ max: 255 }),
})

export const inviteToMeetingPage = definePage({
  path: '/bookings/{id}/invite',
  title: sentence`Invite people`,
  section: 'My day',
  params: object({ id: pathId() }),
  missing: NO_ROOM_BOOKING,
  actions: (action) => ({
    invite: action(inviteForm, async (call) => {
      const { data } = await call.dispatch('events.create-from-booking', {
        booking_id: call.params.id,
        name: call.form.title ?? formatDefaultTitle(call),
        attendees: toAttendees(await requirePeople(call, call.form)),
        invite: true,
      })
      return { redirectTo: call.link(`/meetings/${data.id}`), notice: t`Invited.` }
    }),
  }),
  async show(call) {
    const booking = await findOwnBooking(call, call.params.id)
    if (!booking || !canInvite(booking)) throw new Refusal('not_found', NO_ROOM_BOOKING)
    const { bookable, location, building, zone } = booking
    const ambiguous = await listAmbiguousNames(call, call.refusedForm)
    const fields = form(call, { action: 'invite', submit: t`Invite` }, (fields) => [
      showPeopleField(fields, t`Invite people`, ambiguous),
      fields.text('title', t`Title`, { placeholder: formatDefaultTitle(call) }),
    ])
    return {
      lead: `${bookable}, ${location}, ${building} · ${formatSpan(booking, zone, call.now)}`,
      content: html`<div class="card">${fields}</div>`,
    }
  },
})
