// The page behind the link in an approver's mail: the approver decides this one request without signing in.
// Opening the page has no effect, because programs that check mails for viruses open it too. The link works
// only once, because a request is decided only once.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, verbatimText } from '../../../shared/schemas/fields.ts'
import { html } from '../../html/html.ts'
import { requireReply } from '../../queue/replies.ts'
import { limitPool } from '../../reads/limits/person-pool.ts'
import { findRow } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { createUserActor } from '../pages/page/actions.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { showLink } from '../pages/ui/parts.ts'
import { hashSecret } from '../sessions/secrets.ts'
import { keepMessageAboutOtherPerson } from './book/reword-refusal.ts'
import { findRequest, PENDING } from './own-requests.ts'
import { declineRequestForm, requestIdForm, showDecisionForms, showRequest } from './show-requests.ts'

const LINK_EXPIRED = message`This link no longer works. It works only until the request lapses, and only for people who may decide on it.`

export const decideByLinkPage = definePage({
  path: '/requests/decide',
  title: sentence`Decide on a request`,
  access: 'everybody',
  // The body limit, which has room for a reason of a thousand characters.
  formBytesMax: 16 * 1024,
  query: object({ token: verbatimText({ max: 200 }) }),
  missing: LINK_EXPIRED,
  actions: (action) => ({
    approve: action(requestIdForm, (call) => decideRequest(call, 'booking-requests.approve', {})),
    decline: action(declineRequestForm, (call) =>
      decideRequest(call, 'booking-requests.decline', { reason: call.form.reason }),
    ),
  }),
  async show(call) {
    const { holdId, approverId, email } = await requireLink(call)
    const request = await findRequest(limitPool(call.services.reads.primary.people, approverId), holdId)
    if (!request) throw new Refusal('not_found', LINK_EXPIRED)
    const isOpen = request.state === PENDING && request.expiresAt > call.now
    return {
      lead: t`You are deciding as ${email}.`,
      content: html`${showRequest(call, request, isOpen && showDecisionForms(call, request))}
<p>${showLink(call.link('/requests'), t`All requests`)}</p>`,
    }
  },
})

type LinkCall = Call<unknown, { token?: string | undefined }>
type DecisionLink = { holdId: number; approverId: number; email: string }

async function requireLink({ services, query }: LinkCall): Promise<DecisionLink> {
  const link = await findRow<DecisionLink>(
    services.primary,
    `SELECT hold_id AS "holdId", users.id AS "approverId", users.email
     FROM decision_links JOIN users ON users.id = decision_links.user_id
     WHERE hash = $1 AND expires_at > now() AND users.deactivated_at IS NULL`,
    [hashSecret(query.token ?? '')],
  )
  if (!link) throw new Refusal('not_found', LINK_EXPIRED)
  return link
}

type DecisionJob = 'booking-requests.approve' | 'booking-requests.decline'

/** Decides as the approver to whom the link was sent. Decides only that link's request, regardless of what
 * the form contains. */
async function decideRequest<Name extends DecisionJob>(
  call: LinkCall,
  name: Name,
  more: Omit<InputOf<Name>, 'id'>,
) {
  const { services, now, requestId, baseUrl } = call
  const { holdId, approverId } = await requireLink(call)
  const actor = createUserActor({ id: approverId })
  const origin = { actor, userId: approverId, requestId, baseUrl, receivedAt: now, idempotency: null }
  const input = { ...more, id: holdId } as InputOf<Name>
  await keepMessageAboutOtherPerson(services.dispatcher.dispatch(name, input, origin).then(requireReply))
  return { redirectTo: call.linkHere() }
}
