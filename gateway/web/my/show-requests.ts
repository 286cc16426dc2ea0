// A request as the approver and the person who asks see it: what for, its state, and what they can do about it.
import type { RequestState } from '../../../shared/booking-requests/booking-requests.ts'
import { object, queryId, required, text } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { plural, type Sentence, sentence, t, translate } from '../locales/translate.ts'
import type { Call } from '../pages/page/page.ts'
import { formatTimeBeside } from '../pages/time/instants.ts'
import { form } from '../pages/ui/forms.ts'
import { showLink } from '../pages/ui/parts.ts'
import { PENDING, type PlaceRequest } from './own-requests.ts'
import { formatSpan } from './show-bookings.ts'

export const oneRequest = object({ id: required(queryId()) })
export const declined = oneRequest.shape({ reason: text({ max: 1_000 }) })

const TONES: Partial<Record<RequestState, string>> = { approved: 'good', declined: 'bad' }

/** Shows what is requested, with `actions` beside it. */
export function showRequest(call: Call, request: PlaceRequest, actions?: Html | false): Html {
  const { bookable, location, building, zone, userId, asker, email, guest, info } = request
  const isOwn = call.viewer.person?.id === userId
  return html`<div class="card my-booking"><div><span class="my-time">${formatSpan(request, zone, call.now)}</span>
<strong>${bookable}</strong><span class="soft">${location}, ${building}</span>
${!isOwn && html`<span>${asker} <span class="soft">${email}</span></span>`}
${guest !== null && html`<span>${t`For ${guest}`}</span>`}
${info !== null && html`<span>${t`Purpose: ${info}`}</span>`}
${showState(call, request)}</div>
${actions}</div>`
}

function showState(call: Call, request: PlaceRequest): Html {
  const { state, expiresAt, decidedAt, reason, zone } = request
  const at = (instant: string) => formatTimeBeside(instant, call.now, zone)
  if (state === PENDING)
    return html`<span class="badge warn">${expiresAt > call.now ? t`Waits until ${at(expiresAt)}` : translate(STATES.lapsed)}</span>`
  const who = request.decider ?? (request.isByAdmin ? t`the office team` : undefined)
  const when = decidedAt === null ? '' : at(decidedAt)
  return html`<span class="badge ${TONES[state] ?? ''}">${translate(STATES[state])}</span>
<span class="soft">${who === undefined ? when : t`${who}, ${when}`}</span>
${reason !== null && html`<span>${t`Reason: ${reason}`}</span>`}`
}

const STATES: Record<Exclude<RequestState, 'pending'>, Sentence> = {
  approved: sentence`Approved`,
  declined: sentence`Declined`,
  withdrawn: sentence`Withdrawn`,
  lapsed: sentence`Lapsed: nobody decided in time`,
  released: sentence`Void: no longer available`,
}

/** One press approves; “Decline” opens a form with a field for the reason. */
export function showDecision(call: Call, { id, asker, bookable }: PlaceRequest): Html {
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

export function showWithdrawal(call: Call, { id, bookable }: PlaceRequest): Html {
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

/** For My day: how many requests wait, which leads to them. */
export function showOpenRequests(
  call: Call,
  { toDecide, asked }: { toDecide: number; asked: number },
): Html | false {
  if (toDecide + asked === 0) return false
  const label =
    toDecide > 0
      ? plural(toDecide, '# request waits for your decision', '# requests wait for your decision')
      : plural(asked, 'You have # open request', 'You have # open requests')
  return html`<p>${showLink(call.link('/requests'), label, { class: 'button quiet' })}</p>`
}
