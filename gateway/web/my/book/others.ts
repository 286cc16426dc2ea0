// Offers what is free instead of what was refused, one press each, if another place helps.
import type { RefusalCode } from '../../../../shared/messages/refusal.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { form } from '../../pages/ui/forms.ts'
import { bookingForm, bookWords } from './seat-form.ts'
import { listFreeSeats, type OneSeat, type Seat, type Span } from './seats.ts'

const SHOWN_MAX = 6
/** Reasons that concern the place alone, so another place may help. */
const OF_THE_PLACE: RefusalCode[] = [
  'booking_conflict',
  'bookable_assigned',
  'bookable_blocked',
  'closed',
  'not_for_this_user',
  'outside_opening_hours',
]

/** The nearest first. */
export async function showOthers(call: Call, seat: OneSeat, time: Span): Promise<Html | false> {
  const { refusedForm } = call
  if (!refusedForm || !OF_THE_PLACE.includes(refusedForm.code)) return false
  const { id, type, buildingId, locationId } = seat
  const free = await listFreeSeats(call, { building: buildingId, type, near: id }, time, SHOWN_MAX)
  if (free.length === 0) return false
  const buttons = free.map(
    (each) =>
      html`<li>${otherButton(call, each)}${each.locationId !== locationId && html` <span class="soft">${each.location}</span>`}</li>`,
  )
  return html`<h2>${t`Free instead`}</h2><ul class="my-instead">${buttons}</ul>`
}

/** A button that books this place just as the page would have booked its own. */
function otherButton(call: Call, seat: Seat): Html {
  const { action, submit } = bookWords(seat)
  const { days = [], ...values } = call.refusedForm?.values ?? {}
  const typed = Object.entries(values).flatMap(([name, [value]]) =>
    value !== undefined && name in bookingForm.fields ? [[name, value] as const] : [],
  )
  const hidden = { ...Object.fromEntries(typed), more_days: days.join(), seat: seat.id }
  const words = { submit: seat.name, submitLabel: `${submit}: ${seat.name}`, tone: 'quiet' } as const
  return form(call, { action, ...words, hidden, key: seat.id })
}
