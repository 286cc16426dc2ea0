// Shows a request to its approver and its requester: what is requested, the request's state, and what the
// viewer can do about it.
import type { RequestState } from '../../../shared/booking-requests/booking-requests.ts'
import { object, queryId, required, text } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { plural, type Sentence, sentence, t, translate } from '../locales/translate.ts'
import type { Call } from '../pages/page/page.ts'
import { formatTimeBeside } from '../pages/time/instants.ts'
import { formatSpan } from '../pages/time/spans.ts'
import { form } from '../pages/ui/forms.ts'
import { showLink } from '../pages/ui/parts.ts'
import { type BookingRequestRow, PENDING } from './own-requests.ts'

export const requestIdForm = object({ id: required(queryId()) })
export const declineRequestForm = requestIdForm.shape({ reason: text({ max: 1_000 }) })

const STATE_TONES: Partial<Record<RequestState, string>> = { approved: 'good', declined: 'bad' }

/** Shows the requested place and time, with `actions` beside them. */
export function showRequest(call: Call, request: BookingRequestRow, actions?: Html | false): Html {
  const { bookable, location, building, zone, userId, asker, email, guest, info, title, people, eventId } =
    request
  const isOwn = call.viewer.person?.id === userId
  return html`<div class="card my-booking"><div><span class="my-time">${formatSpan(request, zone, call.now)}</span>
<strong>${bookable}</strong><span class="soft">${location}, ${building}</span>
${title !== null && html`<span>${isOwn && eventId !== null ? showLink(call.link(`/meetings/${eventId}`), title) : title}</span>`}
${!isOwn && html`<span>${asker} <span class="soft">${email}</span></span>`}
${guest !== null && html`<span>${t`For ${guest}`}</span>`}
${people.length > 0 && html`<span>${t`With ${people.join(', ')}`}</span>`}
${info !== null && html`<span>${t`Purpose: ${info}`}</span>`}
${showState(call, request)}</div>
${actions}</div>`
}

function showState(call: Call, request: BookingRequestRow): Html {
  const { state, expiresAt, decidedAt, reason, zone } = request
  const at = (instant: string) => formatTimeBeside(instant, call.now, zone)
  if (state === PENDING)
    return html`<span class="badge warn">${expiresAt > call.now ? t`Waits until ${at(expiresAt)}` : translate(STATE_NAMES.lapsed)}</span>`
  const who = request.decider ?? (request.isByAdmin ? t`the office team` : undefined)
  const when = decidedAt === null ? '' : at(decidedAt)
  return html`<span class="badge ${STATE_TONES[state] ?? ''}">${translate(STATE_NAMES[state])}</span>
<span class="soft">${who === undefined ? when : t`${who}, ${when}`}</span>
${reason !== null && html`<span>${t`Reason: ${reason}`}</span>`}`
}

const STATE_NAMES: Record<Exclude<RequestState, 'pending'>, Sentence> = {
  approved: sentence`Approved`,
  declined: sentence`Declined`,
  withdrawn: sentence`Withdrawn`,
  lapsed: sentence`Lapsed: nobody decided in time`,
  released: sentence`Void: no longer available`,
}

/** Shows the forms that decide a request. One press approves it; “Decline” opens a form with a field for the reason. */
export function showDecisionForms(call: Call, { id, asker, bookable }: BookingRequestRow): Html {
  const { refusedForm } = call
  const isTyped = refusedForm?.action === 'decline' && refusedForm.key === String(id)
  const [approve, decline] = [t`Approve`, t`Decline`]
  const label = (verb: string) => `${verb}: ${asker}, ${bookable}`
  const button = (action: string, submit: string) => ({
    action,
    submit,
    key: id,
    hidden: { id },
    submitLabel: label(submit),
  })
  return html`<div class="buttons">${form(call, { ...button('approve', approve), isInline: true })}
<details class="my-choices"${isTyped && html` open`}><summary class="button quiet" aria-label="${label(`${decline} …`)}">${decline} …</summary>
${form(call, { ...button('decline', decline), tone: 'danger' }, (fields) =>
  fields.text('reason', t`Reason`, { hint: t`${asker} sees this reason.`, maxlength: 1_000 }),
)}</details></div>`
}

export function showWithdrawalForm(call: Call, { id, bookable }: BookingRequestRow): Html {
  const submit = t`Withdraw`
  return form(call, {
    action: 'withdraw',
    submit,
    tone: 'quiet' as const,
    key: id,
    hidden: { id },
    isInline: true,
    submitLabel: `${submit}: ${bookable}`,
  })
}

/** Shows on My day how many requests wait for the person's decision, with a link to these requests. */
export function showRequestsToDecide(call: Call, count: number): Html | false {
  const label = plural(
    count,
    '# request is waiting for your decision',
    '# requests are waiting for your decision',
  )
  return count > 0 && html`<p>${showLink(call.link('/requests'), label, { class: 'button quiet' })}</p>`
}
