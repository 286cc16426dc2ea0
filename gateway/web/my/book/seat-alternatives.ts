// Shows alternatives on the page of a place if its booking was refused. Each button books one with the person's input.
import type { Html } from '../../../html/html.ts'
import type { Call } from '../../pages/page/page.ts'
import { form } from '../../pages/ui/forms.ts'
import { type ShownOffer, showAlternatives } from './alternatives.ts'
import { bookingForm, formatBookButton } from './seat-form.ts'
import type { SeatDetails } from './seats.ts'
import { toTimeQuery, type WantedTime } from './wanted-time.ts'

/** `isTaken` also offers other places before a booking is refused. */
export function showSeatAlternatives(
  call: Call,
  seat: SeatDetails,
  time: WantedTime,
  isTaken: boolean,
): Promise<Html | undefined> {
  const typed = Object.entries(call.refusedForm?.values ?? {}).filter(([name]) => name in bookingForm.fields)
  const hidden = { ...Object.fromEntries(typed), seat: seat.id }
  const button = ({ label, tone }: ShownOffer, key: string | number) =>
    ({ submit: label, tone, key, isInline: true }) as const
  return showAlternatives(call, {
    seat,
    span: time,
    isTaken,
    showPlace(other, offer) {
      const { action } = formatBookButton(other)
      return form(call, { ...button(offer, other.id), action, hidden: { ...hidden, seat: other.id } })
    },
    showTime(span, offer) {
      const address = call.linkHere(toTimeQuery(span, seat.zone))
      return form(call, { ...button(offer, 'time'), action: formatBookButton(seat).action, hidden, address })
    },
    showGivenUp: (held, offer) =>
      form(call, { ...button(offer, held.id), action: 'move-here', hidden: { booking: held.id } }),
    showRequest: (offer) => form(call, { ...button(offer, 'request'), action: 'request', hidden }),
  })
}
