// An offer from the waitlist, as My day and the page of waits show it: take it, or leave it to the next.
import { object, queryId, required } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { plural, t } from '../locales/translate.ts'
import type { ActionCall, Call } from '../pages/page/page.ts'
import { formatTime } from '../pages/time/instants.ts'
import { formatPlace } from '../pages/ui/bookables.ts'
import { form } from '../pages/ui/forms.ts'
import { showLink } from '../pages/ui/parts.ts'
import { excludeEachOther } from './book/other-kind.ts'
import type { OwnBooking } from './own-bookings.ts'
import { isOffer, listOwnWaits, type Offer, type OwnWait } from './own-waits.ts'
import { formatSpan } from './show-bookings.ts'

export const oneWait = object({ id: required(queryId()) })
type WaitCall = ActionCall<unknown, unknown, { id: number }>

/** The actions `take-offer` and `decline-offer` of a page that shows offers. */
export async function takeOffer(call: WaitCall) {
  const offer = await findOffer(call)
  await call.dispatch('waits.accept', call.form)
  const notice = offer && t`${formatPlace(offer)} is yours: ${formatSpan(offer, offer.zone, call.now)}.`
  return { redirectTo: call.link('/'), ...(notice && { notice }) }
}

export async function declineOffer(call: WaitCall) {
  const offer = await findOffer(call)
  await call.dispatch('waits.decline', call.form)
  const notice = offer && t`${formatPlace(offer)} is offered to the next person in line.`
  return { redirectTo: call.linkHere(), ...(notice && { notice }) }
}

const findOffer = async (call: WaitCall): Promise<Offer | undefined> =>
  (await listOwnWaits(call)).filter(isOffer).find(({ id }) => id === call.form.id)

/** For My day: shows the offers, and a link to the other waits. */
export function showOffers(call: Call, waits: OwnWait[], own: OwnBooking[]): Html | false {
  const offers = waits.filter(isOffer)
  const waiting = waits.filter(({ state }) => state === 'waiting').length
  if (offers.length + waiting === 0) return false
  const label = plural(waiting, 'You wait for # place', 'You wait for # places')
  return html`${offers.length > 0 && html`<ul class="my-list">${offers.map((each) => showOffer(call, each, own))}</ul>`}
${waiting > 0 && html`<p>${showLink(call.link('/waits'), label, { class: 'button quiet' })}</p>`}`
}

const MINUTE_MS = 60_000

/** `own` is what the person has booked. */
export function showOffer(call: Call, offer: Offer, own: OwnBooking[]): Html {
  const other = own.find((each) => excludeEachOther(each, offer))
  const { id, bookable, location, building, zone, expiresAt } = offer
  const minutes = Math.max(1, Math.ceil((Date.parse(expiresAt) - Date.parse(call.now)) / MINUTE_MS))
  const left = plural(minutes, '# minute left', '# minutes left')
  const button = (action: string, submit: string, tone: 'primary' | 'quiet') =>
    form(call, {
      action,
      submit,
      tone,
      key: id,
      hidden: { id },
      isInline: true,
      submitLabel: `${submit}: ${formatPlace(offer)}`,
    })
  return html`<li class="card my-booking"><div><span>${t`A place is free for you`}</span>
<span class="my-time">${formatSpan(offer, zone, call.now)}</span>
<strong>${bookable}</strong><span class="soft">${location}, ${building}</span>
${other && html`<span>${t`You already have ${formatPlace(other)} at that time.`}</span>`}
<span class="badge warn">${t`Until ${formatTime(expiresAt, zone)}`} · ${left}</span></div>
<div class="buttons">${button('take-offer', t`Take it`, 'primary')}${button('decline-offer', t`No, thanks`, 'quiet')}</div></li>`
}
