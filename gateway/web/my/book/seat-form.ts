// The form that books a desk, room or parking spot: for whom, with which vehicle, and on which other days.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { list, object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { guestFields, REPEAT, severalDaysFields, showGuestFields } from '../../pages/bookings/several-days.ts'
import type { Call } from '../../pages/page/page.ts'
import type { VehicleChoice } from '../../pages/search/choices.ts'
import { localDate } from '../../pages/time/fields.ts'
import { formatDate } from '../../pages/time/instants.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { ownTitle } from './invited.ts'
import { type listOtherKind, otherKindFields, showOtherKind } from './other-kind.ts'
import type { OneSeat } from './seats.ts'
import { ownVehicleFields, showVehicles } from './vehicles.ts'

const DAYS_MAX = 20

// Another seat than the page's: one of those that are free instead.
const seatField = { seat: required(queryId()) }
export const requestForm = object({
  ...seatField,
  ...guestFields,
  ...ownVehicleFields,
})
export const bookingForm = requestForm.shape({
  ...severalDaysFields,
  ...otherKindFields,
  days: list(required(localDate()), { max: DAYS_MAX }),
  title: text({ max: 255 }),
})

export const bookWords = ({ needsApproval }: Pick<OneSeat, 'needsApproval'>) =>
  needsApproval ? { action: 'request', submit: t`Send request` } : { action: 'book', submit: t`Book` }

type Shown = {
  seat: OneSeat
  vehicles: VehicleChoice[]
  /** The form asks for people to invite instead of a guest. */
  isMeeting: boolean
  hasInvited: boolean
  /** The next days on which the place is open. */
  days: string[]
  otherKind: Awaited<ReturnType<typeof listOtherKind>>
}

export function showBookingForm(call: Call, shown: Shown): Html {
  const { seat, vehicles, isMeeting, hasInvited, days, otherKind } = shown
  return form(call, { ...bookWords(seat), hidden: { seat: seat.id } }, (fields) => [
    showOtherKind(call, fields, otherKind, seat.zone),
    seat.type === BOOKABLE_TYPES.parkingSpot && showVehicles(fields, seat, vehicles),
    hasInvited && fields.text('title', t`Title`, { placeholder: ownTitle(call) }),
    !seat.needsApproval && !hasInvited && showSeveralDays(fields, days),
    !isMeeting &&
      html`<details class="more-fields"${fields.isFilled(...Object.keys(guestFields)) && html` open`}><summary>${t`For a guest`}</summary>${showGuestFields(fields)}</details>`,
  ])
}

function showSeveralDays(fields: Fields, days: string[]): Html {
  const options = days.map((date) => ({ value: date, label: formatDate(date, 'weekday') }))
  const isOpen = fields.isFilled('repeat', 'repeat_until', 'days')
  return html`<details class="more-fields"${isOpen && html` open`}><summary>${t`Several days`}</summary>
${fields.select('repeat', t`Repeat`, { any: t`Once`, options: REPEAT.options() })}
${fields.text('repeat_until', t`Last day`, { emptyWhen: t`required to repeat`, type: 'date' })}
<div class="my-days">${fields.checkboxes('days', t`Or also on`, { options })}</div></details>`
}
