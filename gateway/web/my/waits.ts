// The page of a person's waitlist entries, with offers, positions in the line, and a button to leave a waitlist. Also
// the page that joins a waitlist.

import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { object, queryId, queryNumber } from '../../../shared/schemas/fields.ts'
import { isAfterField } from '../../../shared/schemas/inputs.ts'
import { queryDateTime } from '../../../shared/schemas/times.ts'
import { formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import { OFFER_MINUTES, waitlistTypeInput } from '../../../shared/waits/waits.ts'
import { type Html, html } from '../../html/html.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { explainEndOfWaitlistEntry } from '../pages/bookings/rule-words.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { listVehicles } from '../pages/search/choices.ts'
import { formatSpan } from '../pages/time/spans.ts'
import { formatAnyOfType, formatPlace } from '../pages/ui/bookables.ts'
import { form, showFormCard } from '../pages/ui/forms.ts'
import { showLinkOrText } from '../pages/ui/parts.ts'
import { showEmptyState } from '../pages/ui/states.ts'
import { findOrAddVehicle, ownVehicleFields, showVehicleFields } from './book/vehicles.ts'
import { listOwnBookings } from './bookings/own-bookings.ts'
import { declineOffer, showOffer, takeOffer, waitlistEntryIdForm } from './offers.ts'
import {
  isWaitlistOffer,
  listOwnWaitlistEntries,
  type OwnWaitlistEntry,
  requireWaitlistTarget,
} from './own-waits.ts'

const formatPlaceName = ({ bookable, type }: { bookable: string | null; type: number }) =>
  bookable ?? formatAnyOfType(type)

const formatPeopleAhead = (ahead: number) =>
  ahead === 0
    ? t`You are first in line`
    : plural(ahead, '# person is ahead of you', '# people are ahead of you')

/** Formats a time span. Adds “Today” to a time of today, which formatSpan shows without its day. */
function formatWhen(span: { from: string; to: string }, zone: string, now: string): string {
  const isToday = formatLocalDate(span.from, zone) === formatLocalDate(now, zone)
  return isToday ? `${t`Today`}, ${formatSpan(span, zone, now)}` : formatSpan(span, zone, now)
}

const explainWaitlists = ({ services }: Call) =>
  services.config.mail
    ? t`When a place becomes free, it is offered to the first person in line for ${OFFER_MINUTES} minutes. The offer appears on My day and is sent by e-mail.`
    : t`When a place becomes free, it is offered to the first person in line for ${OFFER_MINUTES} minutes. The offer appears on My day. Berth does not send e-mail here.`

export const waitlistsPage = definePage({
  path: '/waits',
  title: sentence`Waiting for a place`,
  section: 'My day',
  actions: (action) => ({
    'take-offer': action(waitlistEntryIdForm, takeOffer),
    'decline-offer': action(waitlistEntryIdForm, declineOffer),
    'give-up': action(waitlistEntryIdForm, async (call) => {
      await call.dispatch('waits.cancel', call.form)
      return { redirectTo: call.link('/waits'), notice: t`You are no longer on this waitlist.` }
    }),
  }),
  async show(call) {
    const [own, bookings] = await Promise.all([listOwnWaitlistEntries(call), listOwnBookings(call)])
    const offers = own.filter(isWaitlistOffer)
    const waiting = own.filter(({ state }) => state === 'waiting')
    const ended = own.filter(({ state }) => state === 'missed' || state === 'over')
    const shown = [
      ...offers.map((each) => showOffer(call, each, bookings)),
      ...waiting.map((each) => showWaitlistEntry(call, each)),
    ]
    const book = showLinkOrText(call.link('/book'), t`Book`)
    return {
      lead: explainWaitlists(call),
      content: html`${shown.length === 0 ? showEmptyState(t`You are not on any waitlist.`, book) : html`<ul class="my-list">${shown}</ul>`}
${ended.map((each) => html`<p class="soft">${explainEndOfWait(call, each)}</p>`)}`,
    }
  },
})

function explainEndOfWait({ now }: Call, wait: OwnWaitlistEntry): string {
  const [name, when] = [
    formatPlace({ ...wait, bookable: formatPlaceName(wait) }),
    formatSpan(wait, wait.zone, now),
  ]
  if (wait.state === 'missed') return t`You missed an offer: ${name}, ${when}.`
  return explainEndOfWaitlistEntry(wait.endReason ?? '', name, when)
}

function showWaitlistEntry(call: Call, wait: OwnWaitlistEntry): Html {
  const { id, location, building, zone, ahead } = wait
  const submit = t`Stop waiting`
  return html`<li class="card my-booking"><div><span class="my-time">${formatWhen(wait, zone, call.now)}</span>
<strong>${formatPlaceName(wait)}</strong><span class="soft">${location}, ${building}</span>
<span class="badge">${formatPeopleAhead(ahead)}</span></div>
${form(call, {
  action: 'give-up',
  submit,
  tone: 'quiet' as const,
  key: id,
  hidden: { id },
  isInline: true,
  submitLabel: `${submit}: ${formatPlaceName(wait)}`,
})}</li>`
}

export const joinWaitlistPage = definePage({
  path: '/waits/new',
  title: sentence`Wait for a place`,
  section: 'Book',
  query: object({
    bookable: queryId(),
    location: queryId(),
    type: queryNumber(waitlistTypeInput()),
    from: queryDateTime(),
    to: queryDateTime().test(...isAfterField('from')),
  }),
  actions: (action) => ({
    wait: action(object(ownVehicleFields), async (call) => {
      const { bookable, location, type, from = '', to = '' } = call.query
      const place = bookable === undefined ? { location_id: location, type } : { bookable_id: bookable }
      const user_id = call.requirePerson().id
      const user_vehicle_id = await findOrAddVehicle(call)
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
    const waited = await requireWaitlistTarget(call.reads, { ...what, from, to })
    const isSpot = waited.type === BOOKABLE_TYPES.parkingSpot
    const vehicles = isSpot ? await listVehicles(call.reads, call.requirePerson().id) : []
    return {
      lead: `${formatPlaceName(waited)} · ${formatWhen({ from, to }, waited.zone, call.now)} · ${waited.location}, ${waited.building}`,
      content: showFormCard(
        call,
        { action: 'wait', submit: t`Wait`, cancel: call.link('/book') },
        (fields) =>
          html`${isSpot && showVehicleFields(fields, waited, vehicles)}<p>${waited.ahead === 0 ? t`Nobody is waiting yet` : formatPeopleAhead(waited.ahead)}. ${explainWaitlists(call)}</p>`,
      ),
    }
  },
})
