// One of the person's bookings: they give it another time, or invite people to a room.
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId, required } from '../../../shared/schemas/fields.ts'
import { after } from '../../../shared/schemas/inputs.ts'
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { html } from '../../html/html.ts'
import { sentence, t } from '../locales/translate.ts'
import { type Call, page } from '../pages/page/page.ts'
import { localDateTime, parseSpan } from '../pages/time/fields.ts'
import { formatPlace } from '../pages/ui/bookables.ts'
import { form } from '../pages/ui/forms.ts'
import { showLink } from '../pages/ui/parts.ts'
import { findOwnBooking, type OwnBooking } from './own-bookings.ts'
import { formatSpan, mayInvite } from './show-bookings.ts'

const MISSING = message`You have no such booking, or it is over.`

export const booking = page({
  path: '/bookings/{id}',
  title: sentence`Booking`,
  section: 'My day',
  params: object({ id: pathId() }),
  missing: MISSING,
  actions: (action) => ({
    'change-time': action(
      object({
        from_time: required(localDateTime()),
        to_time: required(localDateTime()).test(...after('from_time')),
      }),
      async (call) => {
        const booking = await requireBooking(call)
        const { id, zone, ...present } = booking
        const { from, to } = parseSpan(call.form, { from: zone, to: zone }, present)
        if (!to) throw invalid({ to_time: [message`Enter the end.`] })
        await call.dispatch('bookings.update', { id, from_time: from, to_time: to })
        const span = formatSpan({ from: from ?? present.from, to }, zone, call.now)
        return { redirectTo: call.link('/'), notice: t`${formatPlace(booking)} is booked: ${span}.` }
      },
    ),
  }),
  async show(call) {
    const found = await requireBooking(call)
    const { id, bookable, location, building, from, to, zone } = found
    const values = {
      from_time: formatLocalDateTime(from, zone),
      to_time: to === null ? '' : formatLocalDateTime(to, zone),
    }
    const invite =
      mayInvite(found) &&
      showLink(call.link(`/bookings/${id}/invite`), t`Invite people`, { class: 'button quiet' })
    return {
      title: bookable,
      lead: `${location}, ${building} · ${formatSpan(found, zone, call.now)}`,
      content: html`<div class="card">${form(
        call,
        { action: 'change-time', submit: t`Change the time`, values },
        (fields) => [fields.time('from_time', t`From`), fields.time('to_time', t`Until`)],
      )}</div>
<div class="buttons">${invite}${showLink(call.link('/'), t`My day`, { class: 'button quiet' })}</div>`,
    }
  },
})

async function requireBooking(call: Call<{ id: number }>): Promise<OwnBooking> {
  const found = await findOwnBooking(call, call.params.id)
  if (!found || (found.to !== null && found.to <= call.now)) throw new Refusal('not_found', MISSING)
  return found
}
