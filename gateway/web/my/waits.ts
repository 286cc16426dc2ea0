// The page of a person's waits: offers, places in the line, and giving up. Also the page on which a wait begins.

import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { object, queryId, queryNumber } from '../../../shared/schemas/fields.ts'
import { queryDateTime } from '../../../shared/schemas/times.ts'
import { formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import { OFFER_MINUTES, waitedType } from '../../../shared/waits/waits.ts'
import { type Html, html } from '../../html/html.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { explainEndOfWait } from '../pages/bookings/rule-words.ts'
import { type Call, page } from '../pages/page/page.ts'
import { listVehicles } from '../pages/search/choices.ts'
import { formatAny, formatPlace } from '../pages/ui/bookables.ts'
import { form, formCard } from '../pages/ui/forms.ts'
import { showLinkOrText } from '../pages/ui/parts.ts'
import { showEmpty } from '../pages/ui/states.ts'
import { findVehicle, ownVehicleFields, showVehicles } from './book/vehicles.ts'
import { declineOffer, oneWait, showOffer, takeOffer } from './offers.ts'
import { listOwnBookings } from './own-bookings.ts'
import { isOffer, listOwnWaits, type OwnWait, requireWaited } from './own-waits.ts'
import { formatSpan } from './show-bookings.ts'

const nameOf = ({ bookable, type }: { bookable: string | null; type: number }) => bookable ?? formatAny(type)

const formatAhead = (ahead: number) =>
  ahead === 0 ? t`You are first in line` : plural(ahead, '# person is before you', '# people are before you')

/** Adds “Today” to a time of today, which formatSpan writes without its day. */
function formatWhen(span: { from: string; to: string }, zone: string, now: string): string {
  const isToday = formatLocalDate(span.from, zone) === formatLocalDate(now, zone)
  return isToday ? `${t`Today`}, ${formatSpan(span, zone, now)}` : formatSpan(span, zone, now)
}

const explain = ({ services }: Call) =>
  services.config.mail
    ? t`When a place becomes free, it is offered to the first in the line, for ${OFFER_MINUTES} minutes. The offer stands on My day, and comes by mail.`
    : t`When a place becomes free, it is offered to the first in the line, for ${OFFER_MINUTES} minutes. The offer stands on My day; Berth sends no mail here.`

export const waits = page({
  path: '/waits',
  title: sentence`Waiting for a place`,
  section: 'My day',
  actions: (action) => ({
    'take-offer': action(oneWait, takeOffer),
    'decline-offer': action(oneWait, declineOffer),
    'give-up': action(oneWait, async (call) => {
      await call.dispatch('waits.cancel', call.form)
      return { redirectTo: call.link('/waits'), notice: t`You are no longer on this waitlist.` }
    }),
  }),
  async show(call) {
    const [own, bookings] = await Promise.all([listOwnWaits(call), listOwnBookings(call)])
    const offers = own.filter(isOffer)
    const waiting = own.filter(({ state }) => state === 'waiting')
    const ended = own.filter(({ state }) => state === 'missed' || state === 'over')
    const shown = [
      ...offers.map((each) => showOffer(call, each, bookings)),
      ...waiting.map((each) => showWait(call, each)),
    ]
    const book = showLinkOrText(call.link('/book'), t`Book`)
    return {
      lead: explain(call),
      content: html`${shown.length === 0 ? showEmpty(t`You are not on any waitlist.`, book) : html`<ul class="my-list">${shown}</ul>`}
${ended.map((each) => html`<p class="soft">${explainEnd(call, each)}</p>`)}`,
    }
  },
})

function explainEnd({ now }: Call, wait: OwnWait): string {
  const [name, when] = [formatPlace({ ...wait, bookable: nameOf(wait) }), formatSpan(wait, wait.zone, now)]
  if (wait.state === 'missed') return t`You missed an offer: ${name}, ${when}.`
  return explainEndOfWait(wait.endReason ?? '', name, when)
}

function showWait(call: Call, wait: OwnWait): Html {
  const { id, location, building, zone, ahead } = wait
  const submit = t`Stop waiting`
  return html`<li class="card my-booking"><div><span class="my-time">${formatWhen(wait, zone, call.now)}</span>
<strong>${nameOf(wait)}</strong><span class="soft">${location}, ${building}</span>
<span class="badge">${formatAhead(ahead)}</span></div>
${form(call, {
  action: 'give-up',
  submit,
  tone: 'quiet' as const,
  key: id,
  hidden: { id },
  isInline: true,
  submitLabel: `${submit}: ${nameOf(wait)}`,
})}</li>`
}

export const newWait = page({
  path: '/waits/new',
  title: sentence`Wait for a place`,
  section: 'Book',
  query: object({
    bookable: queryId(),
    location: queryId(),
    type: queryNumber(waitedType()),
    from: queryDateTime(),
    to: queryDateTime(),
  }),
  actions: (action) => ({
    wait: action(object(ownVehicleFields), async (call) => {
      const { bookable, location, type, from = '', to = '' } = call.query
      const place = bookable === undefined ? { location_id: location, type } : { bookable_id: bookable }
      const user_id = call.requirePerson().id
      const user_vehicle_id = await findVehicle(call)
      await call.dispatch('waits.create', {
        ...place,
        from_time: from,
        to_time: to,
        user_id,
        user_vehicle_id,
      })
      return { redirectTo: call.link('/waits'), notice: t`You are on the waitlist.` }
    }),
  }),
  async show(call) {
    const { from, to, ...what } = call.query
    if (!from || !to) return { redirectTo: call.link('/book') }
    const waited = await requireWaited(call.reads, { ...what, from, to })
    const isSpot = waited.type === BOOKABLE_TYPES.parkingSpot
    const vehicles = isSpot ? await listVehicles(call.reads, call.requirePerson().id) : []
    return {
      lead: `${nameOf(waited)} · ${formatWhen({ from, to }, waited.zone, call.now)} · ${waited.location}, ${waited.building}`,
      content: formCard(
        call,
        { action: 'wait', submit: t`Wait`, cancel: call.link('/book') },
        (fields) =>
          html`${isSpot && showVehicles(fields, waited, vehicles)}<p>${formatAhead(waited.ahead)}. ${explain(call)}</p>`,
      ),
    }
  },
})
