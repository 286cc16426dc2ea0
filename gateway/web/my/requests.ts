// The page of requests for places that need approval: approvers decide requests, and requesters see the state
// of their own requests.
import { LAPSES_AFTER_WORKING_HOURS } from '../../../shared/booking-requests/lapse.ts'
import { type Html, html } from '../../html/html.ts'
import { sentence, t } from '../locales/translate.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { showLink } from '../pages/ui/parts.ts'
import { showEmptyState } from '../pages/ui/states.ts'
import { keepMessageAboutOtherPerson } from './book/reword-refusal.ts'
import {
  type BookingRequestRow,
  listDecidedRequests,
  listOwnRequests,
  listRequestsToDecide,
  PENDING,
} from './own-requests.ts'
import {
  declineRequestForm,
  requestIdForm,
  showDecisionForms,
  showRequest,
  showWithdrawalForm,
} from './show-requests.ts'

export const requestsPage = definePage({
  path: '/requests',
  title: sentence`Requests`,
  section: 'My day',
  actions: (action) => ({
    approve: action(requestIdForm, async (call) => {
      await keepMessageAboutOtherPerson(call.dispatch('booking-requests.approve', call.form))
      return { redirectTo: call.link('/requests'), notice: t`Approved and booked.` }
    }),
    decline: action(declineRequestForm, async (call) => {
      await call.dispatch('booking-requests.decline', call.form)
      return { redirectTo: call.link('/requests'), notice: t`Declined. The time is free again.` }
    }),
    withdraw: action(requestIdForm, async (call) => {
      await call.dispatch('booking-requests.withdraw', call.form)
      return { redirectTo: call.link('/requests'), notice: t`Withdrawn. The time is free again.` }
    }),
  }),
  async show(call) {
    const [toDecide, decided, asked] = await Promise.all([
      listRequestsToDecide(call),
      listDecidedRequests(call),
      listOwnRequests(call),
    ])
    const isOpen = ({ state, expiresAt }: BookingRequestRow) => state === PENDING && expiresAt > call.now
    const isNothing = toDecide.length + decided.length + asked.length === 0
    const lead = t`A request lapses if nobody decides on it within ${LAPSES_AFTER_WORKING_HOURS} of the building’s working hours, or before the requested time begins.`
    const content = html`${isNothing && showEmptyState(t`There are no requests.`, showLink(call.link('/book'), t`Book`))}
${showList(call, t`Waiting for your decision`, toDecide, (each) => showDecisionForms(call, each))}
${showList(call, t`Your requests`, asked, (each) => isOpen(each) && showWithdrawalForm(call, each))}
${showList(call, t`Recently decided by you`, decided, () => false)}`
    return { lead, content }
  },
})

const showList = (
  call: Call,
  heading: string,
  requests: BookingRequestRow[],
  showActions: (request: BookingRequestRow) => Html | false,
): Html | false =>
  requests.length > 0 &&
  html`<h2>${heading}</h2>
<ul class="my-list">${requests.map((each) => html`<li>${showRequest(call, each, showActions(each))}</li>`)}</ul>`
