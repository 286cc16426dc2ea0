// The page behind the link in an approver's mail: they decide this one request without signing in. Opening it does
// nothing, because programs that check mails for viruses open it too. A request is decided once, so the link acts once.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, verbatim } from '../../../shared/schemas/fields.ts'
import { html } from '../../html/html.ts'
import { replyOf } from '../../queue/replies.ts'
import { limitPool } from '../../reads/limits/person-pool.ts'
import { findRow } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { userActor } from '../pages/page/actions.ts'
import { type Call, page } from '../pages/page/page.ts'
import { showLink } from '../pages/ui/parts.ts'
import { hashSecret } from '../sessions/secrets.ts'
import { findRequest, PENDING } from './own-requests.ts'
import { declined, oneRequest, showDecision, showRequest } from './show-requests.ts'

const LINK_IS_OVER = message`This link does not work any more: it works until the request would lapse, for who may decide it.`

export const decideByLink = page({
  path: '/requests/decide',
  title: sentence`Decide on a request`,
  access: 'everybody',
  // Enough for a reason of a thousand characters.
  formBytesMax: 16 * 1024,
  query: object({ token: verbatim({ max: 200 }) }),
  missing: LINK_IS_OVER,
  actions: (action) => ({
    approve: action(oneRequest, (call) => decide(call, 'booking-requests.approve', {})),
    decline: action(declined, (call) =>
      decide(call, 'booking-requests.decline', { reason: call.form.reason }),
    ),
  }),
  async show(call) {
    const { holdId, approverId, email } = await requireLink(call)
    const request = await findRequest(limitPool(call.services.reads.primary.people, approverId), holdId)
    if (!request) throw new Refusal('not_found', LINK_IS_OVER)
    const isOpen = request.state === PENDING && request.expiresAt > call.now
    return {
      lead: t`You decide as ${email}.`,
      content: html`${showRequest(call, request, isOpen && showDecision(call, request))}
<p>${showLink(call.link('/requests'), t`All requests`)}</p>`,
    }
  },
})

type LinkCall = Call<unknown, { token?: string | undefined }>
type Link = { holdId: number; approverId: number; email: string }

async function requireLink({ services, query }: LinkCall): Promise<Link> {
  const link = await findRow<Link>(
    services.primary,
    `SELECT hold_id AS "holdId", users.id AS "approverId", users.email
     FROM decision_links JOIN users ON users.id = decision_links.user_id
     WHERE hash = $1 AND expires_at > now() AND users.deactivated_at IS NULL`,
    [hashSecret(query.token ?? '')],
  )
  if (!link) throw new Refusal('not_found', LINK_IS_OVER)
  return link
}

type Decision = 'booking-requests.approve' | 'booking-requests.decline'

/** As the approver of the link, and only its request, whatever the form says. */
async function decide<Name extends Decision>(call: LinkCall, name: Name, more: Omit<InputOf<Name>, 'id'>) {
  const { services, now, requestId, baseUrl } = call
  const { holdId, approverId } = await requireLink(call)
  const actor = userActor({ id: approverId })
  const origin = { actor, userId: approverId, requestId, baseUrl, receivedAt: now, idempotency: null }
  const input = { ...more, id: holdId } as InputOf<Name>
  replyOf(await services.dispatcher.dispatch(name, input, origin))
  return { redirectTo: call.linkHere() }
}
