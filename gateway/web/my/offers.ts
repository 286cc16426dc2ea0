// Shows an offer from the waitlist on My day and on the waitlist page. The person takes the offer, or leaves it to the
// next person.
import { object, queryId, required } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { plural, t } from '../locales/translate.ts'
import type { ActionCall, Call } from '../pages/page/page.ts'
import { formatTime } from '../pages/time/instants.ts'
import { formatSpan } from '../pages/time/spans.ts'
import { formatPlace } from '../pages/ui/bookables.ts'
import { areMutuallyExclusive } from './book/other-kind.ts'
import { listOwnBookings, type OwnBooking } from './bookings/own-bookings.ts'
import { createEntryButtons } from './entry-buttons.ts'
import {
  isWaitlistOffer,
  listOwnWaitlistEntries,
  type OwnWaitlistEntry,
  type WaitlistOffer,
} from './own-waits.ts'

export const waitlistEntryIdForm = object({ id: required(queryId()) })
type OfferCall = ActionCall<unknown, unknown, { id: number }>

/** Runs the action `take-offer` of a page that shows offers. */
export async function takeOffer(call: OfferCall) {
  const offer = await findOffer(call)
  await call.dispatch('waits.accept', call.form)
  if (!offer) return { redirectTo: call.link('/') }
  const notice = t`${formatPlace(offer)} is yours: ${formatSpan(offer, offer.zone, call.now)}.`
  const taken = (await listOwnBookings(call)).find(
    ({ bookableId, from }) => bookableId === offer.bookableId && from >= offer.from,
  )
  return { redirectTo: call.link(taken ? `/bookings/${taken.id}` : '/'), notice }
}

export async function declineOffer(call: OfferCall) {
  const offer = await findOffer(call)
  await call.dispatch('waits.decline', call.form)
  const notice = offer && t`${formatPlace(offer)} is offered to the next person in line.`
  return { redirectTo: call.linkHere(), ...(notice && { notice }) }
}

const findOffer = async (call: OfferCall): Promise<WaitlistOffer | undefined> =>
  (await listOwnWaitlistEntries(call)).filter(isWaitlistOffer).find(({ id }) => id === call.form.id)

/** Shows the offers on My day. */
export function showOffers(call: Call, waits: OwnWaitlistEntry[], own: OwnBooking[]): Html | false {
  const offers = waits.filter(isWaitlistOffer)
  return (
    offers.length > 0 && html`<ul class="my-list">${offers.map((each) => showOffer(call, each, own))}</ul>`
  )
}

const MINUTE_MS = 60_000

/** Shows an offer. `own` contains the person's bookings. */
export function showOffer(call: Call, offer: WaitlistOffer, own: OwnBooking[]): Html {
  const other = own.find((each) => areMutuallyExclusive(each, offer))
  const { id, bookable, location, building, zone, expiresAt } = offer
  const minutes = Math.max(1, Math.ceil((Date.parse(expiresAt) - Date.parse(call.now)) / MINUTE_MS))
  const left = plural(minutes, '# minute left', '# minutes left')
  const button = createEntryButtons(call, formatPlace(offer), { id })
  return html`<li class="card my-booking"><div><span>${t`A place is available for you`}</span>
<span class="my-time">${formatSpan(offer, zone, call.now)}</span>
<strong>${bookable}</strong><span class="soft">${location}, ${building}</span>
${other && html`<span>${t`You already have ${formatPlace(other)} at that time.`}</span>`}
<span class="badge warn">${t`Until ${formatTime(expiresAt, zone)}`} · ${left}</span></div>
<div class="buttons">${button('take-offer', t`Take it`, 'primary')}${button('decline-offer', t`No, thanks`, 'quiet')}</div></li>`
}
