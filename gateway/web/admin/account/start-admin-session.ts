// Starts the session of an administrator who has signed in through the provider. A job (admins.sign-in) writes what
// changes about them, and runs only if something changes.

import { Refusal } from '../../../../shared/messages/refusal.ts'
import { replyOf } from '../../../queue/replies.ts'
import type { Context } from '../../../server/services/context.ts'
import { type Sentence, sentence, t } from '../../locales/translate.ts'
import { originFrom } from '../../pages/page/actions.ts'
import type { SiteContext } from '../../pages/page/context.ts'
import { deviceOf } from '../../pages/page/request.ts'
import { viewerOf } from '../../pages/page/viewers.ts'
import type { StartSession } from '../../pages/site/finish-sign-in.ts'
import { PageFailure } from '../../sessions/failure.ts'
import type { Identity, IdentityProvider } from '../../sessions/provider.ts'
import { beginSession, endSession, endSessions, findIdentity } from '../../sessions/sessions.ts'

export function startAdminSession(dashboard: SiteContext, provider: IdentityProvider): StartSession {
  const { primary } = dashboard.services
  return async (ctx, identity, secret) => {
    const id = await admit(ctx, dashboard, provider, identity)
    const account = { id, issuer: provider.issuer, subject: identity.subject }
    if (!(await beginSession(primary, secret, account, deviceOf(ctx)))) throw disabled()
    const former = viewerOf(ctx)?.secret
    if (former) await endSession(primary, former)
    return { adminId: id }
  }
}

/** Returns the administrator who gets the session. */
async function admit(
  ctx: Context,
  { services }: SiteContext,
  { issuer, label }: IdentityProvider,
  { subject, email, isEmailVerified, role }: Identity,
): Promise<number> {
  const known = await findIdentity(services.primary, issuer, subject)
  if (known?.isDisabled) throw disabled()
  if (role === undefined) {
    // Ends their sessions in other browsers too.
    if (known) await endSessions(services.primary, known.adminId)
    throw refused(
      sentence`You have no access to Berth`,
      t`Your account at ${label} has no role here. Ask the people who manage it to give you one.`,
    )
  }
  if (known?.role === role) return known.adminId
  if (!known && email === undefined)
    throw refused(
      sentence`Your e-mail address is missing`,
      t`${label} did not tell Berth your e-mail address.`,
    )
  const input = { issuer, subject, email, isEmailVerified, role }
  const origin = { ...originFrom(ctx, { type: 'system', id: null, name: label }), idempotency: null }
  try {
    const outcome = await services.dispatcher.dispatch('admins.sign-in', input, origin)
    return replyOf(outcome).data.id
  } catch (error) {
    if (error instanceof Refusal && error.code === 'in_use')
      throw refused(sentence`You cannot sign in`, error.message)
    throw error
  }
}

const refused = (title: Sentence, detail: string) => new PageFailure(403, title, detail)

const disabled = () => refused(sentence`Your account is disabled`, sentence`An owner can enable it again.`)
