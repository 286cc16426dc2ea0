// The form that books a desk, room or parking spot. It asks for whom or with whom, with which vehicle, and on
// which other days.
import type { InferType } from 'yup'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { list, object, queryFlag, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { guestFields, showGuestFields } from '../../pages/bookings/several-days.ts'
import type { Call } from '../../pages/page/page.ts'
import type { VehicleChoice } from '../../pages/search/choices.ts'
import { localDate } from '../../pages/time/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { type AmbiguousName, formatDefaultTitle, peopleFields, showPeopleField } from './invited.ts'
import { type listOtherKindBookings, otherKindFields, showOtherKindField } from './other-kind.ts'
import { repeatFields, showRepeat, showSeenConflicts } from './repeat.ts'
import type { SeatDetails } from './seats.ts'
import { ownVehicleFields, showVehicleFields } from './vehicles.ts'
import { isMeetingRoomType } from './wanted.ts'
import { formatShortSpan, type WantedTime } from './wanted-time.ts'

const DAYS_PER_FORM_MAX = 20
/** The id of the form, for the buttons outside of it. */
const FORM = 'booking'

// The id of another place than the page's place: one of the free alternatives.
const seatField = { seat: required(queryId()) }
export const requestForm = object({
  ...seatField,
  ...guestFields,
  ...ownVehicleFields,
  title: text({ max: 255 }),
  ...peopleFields,
  /** Set by the button that shows when the people are free, without booking the place. */
  show_times: queryFlag(),
})
export const bookingForm = requestForm.shape({
  ...repeatFields,
  ...otherKindFields,
  /** The name or e-mail address of the colleague for whom the person books. */
  colleague: text({ max: 255 }),
  /** Set by the button that books although the colleague is away. */
  overrides_absence: queryFlag(),
  days: list(required(localDate()), { max: DAYS_PER_FORM_MAX }),
})

export const formatBookButton = ({ needsApproval }: Pick<SeatDetails, 'needsApproval'>) =>
  needsApproval ? { action: 'request', submit: t`Send request` } : { action: 'book', submit: t`Book` }

/** Whether the form asks for a colleague. Rooms ask whom to invite, and vehicles and requests are the person's own. */
export const canBookForColleague = ({
  type,
  mayBookForOthers,
  needsApproval,
  requiresVehicle,
}: SeatDetails) => mayBookForOthers && !needsApproval && !requiresVehicle && !isMeetingRoomType(type)

type BookingFormOptions = {
  seat: SeatDetails
  time: Pick<WantedTime, 'query'>
  vehicles: VehicleChoice[]
  /** Set if the form asks whom to invite. Otherwise, the form asks for a guest. */
  meeting:
    | { values: Partial<InferType<typeof bookingForm>> | undefined; ambiguous: AmbiguousName[] }
    | undefined
  /** The next days on which the place is open, which the form offers. */
  days: string[]
  otherKind: Awaited<ReturnType<typeof listOtherKindBookings>>
}

export function showBookingForm(call: Call, shown: BookingFormOptions): Html {
  const { seat, time, vehicles, meeting, days, otherKind } = shown
  const { hidden, notice } = showSeenConflicts(call)
  const { action, submit } = formatBookButton(seat)
  const words = {
    action,
    submit: html`${submit} <time>${formatShortSpan(time.query)}</time>`,
    hidden: { seat: seat.id, ...hidden },
    id: FORM,
  }
  const more = showTimesButton(t`Show free times`)
  const isAway = call.refusedForm?.code === 'user_away'
  const nevertheless =
    isAway &&
    html`<button class="button quiet" form="${FORM}" name="overrides_absence" value="true">${t`Book anyway`}</button>`
  const options = meeting ? { ...words, values: meeting.values, more } : { ...words, more: nevertheless }
  return form(call, options, (fields) => [
    notice,
    showOtherKindField(call, fields, otherKind, seat.zone),
    seat.type === BOOKABLE_TYPES.parkingSpot && showVehicleFields(fields, seat, vehicles),
    meeting && [
      showPeopleField(fields, t`Invite people`, meeting.ambiguous),
      fields.text('title', t`Title`, { placeholder: formatDefaultTitle(call) }),
      seat.needsApproval &&
        html`<p class="soft">${t`You request the room with everybody. They are invited once somebody approves the request.`}</p>`,
    ],
    !seat.needsApproval && showRepeat(fields, days, meeting?.values),
    canBookForColleague(seat) &&
      html`<details class="more-fields"${fields.isFilled('colleague') && html` open`}><summary>${t`For a colleague`}</summary>${fields.text(
        'colleague',
        t`Colleague`,
        {
          hint: t`Name or e-mail address. The booking belongs to your colleague, who gets an e-mail and can cancel it.`,
        },
      )}</details>`,
    !meeting &&
      html`<details class="more-fields"${fields.isFilled(...Object.keys(guestFields)) && html` open`}><summary>${t`For a guest`}</summary>${showGuestFields(fields)}</details>`,
  ])
}

/**
 * Shows a button that sends the form to see when the people are free. The form is posted, because the names of many
 * people are too long for an address. With an `address`, the button chooses another time.
 */
export const showTimesButton = (label: string, address?: string): Html =>
  html`<button class="button quiet" form="${FORM}" name="show_times" value="true"${formatAttributes({ formaction: address })}>${label}</button>`
