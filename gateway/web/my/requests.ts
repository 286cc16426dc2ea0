// Requests for places that need approval: an approver decides here, and who asks sees the state of theirs.
import { LAPSES_AFTER_WORKING_HOURS } from '../../../shared/booking-requests/lapse.ts'
import { type Html, html } from '../../html/html.ts'
import { sentence, t } from '../locales/translate.ts'
import { type Call, page } from '../pages/page/page.ts'
import { showLink } from '../pages/ui/parts.ts'
import { showEmpty } from '../pages/ui/states.ts'
import { listAsked, listDecided, listToDecide, PENDING, type PlaceRequest } from './own-requests.ts'
import { declined, oneRequest, showDecision, showRequest, showWithdrawal } from './show-requests.ts'

export const requests = page({
  path: '/requests',
  title: sentence`Requests`,
  section: 'My day',
  actions: (action) => ({
    approve: action(oneRequest, async (call) => {
      await call.dispatch('booking-requests.approve', call.form)
      return { redirectTo: call.link('/requests'), notice: t`Approved: it is booked.` }
    }),
    decline: action(declined, async (call) => {
      await call.dispatch('booking-requests.decline', call.form)
      return { redirectTo: call.link('/requests'), notice: t`Declined. The time is free again.` }
    }),
    withdraw: action(oneRequest, async (call) => {
      await call.dispatch('booking-requests.withdraw', call.form)
      return { redirectTo: call.link('/requests'), notice: t`Withdrawn. The time is free again.` }
    }),
  }),
  async show(call) {
    const [toDecide, decided, asked] = await Promise.all([
      listToDecide(call),
      listDecided(call),
      listAsked(call),
    ])
    const isOpen = ({ state, expiresAt }: PlaceRequest) => state === PENDING && expiresAt > call.now
    const isNothing = toDecide.length + decided.length + asked.length === 0
    const lead = t`A request lapses if nobody decides on it within ${LAPSES_AFTER_WORKING_HOURS} of the building’s working hours, or by the time it begins.`
    const content = html`${isNothing && showEmpty(t`There are no requests.`, showLink(call.link('/book'), t`Book`))}
${showList(call, t`Waiting for your decision`, toDecide, (each) => showDecision(call, each))}
${showList(call, t`Your requests`, asked, (each) => isOpen(each) && showWithdrawal(call, each))}
${showList(call, t`Recently decided by you`, decided, () => false)}`
    return { lead, content }
  },
})

const showList = (
  call: Call,
  heading: string,
  requests: PlaceRequest[],
  showActions: (request: PlaceRequest) => Html | false,
): Html | false =>
  requests.length > 0 &&
  html`<h2>${heading}</h2>
<ul class="my-list">${requests.map((each) => html`<li>${showRequest(call, each, showActions(each))}</li>`)}</ul>`
