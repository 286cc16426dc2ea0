// Starts the session of an administrator who has signed in through the identity provider. A job (admins.sign-in)
// updates their account, but only if something has changed.

import { Refusal } from '../../../../shared/messages/refusal.ts'
import { requireReply } from '../../../queue/replies.ts'
import type { Context } from '../../../server/services/context.ts'
import { type Sentence, sentence, t } from '../../locales/translate.ts'
import { createOrigin } from '../../pages/page/actions.ts'
import type { SiteContext } from '../../pages/page/context.ts'
import { readDevice } from '../../pages/page/request.ts'
import { findViewer } from '../../pages/page/viewers.ts'
import type { StartSession } from '../../pages/site/finish-sign-in.ts'
import { PageFailure } from '../../sessions/failure.ts'
import type { Identity, IdentityProvider } from '../../sessions/provider.ts'
import { beginSession, endSession, endSessions, findIdentity } from '../../sessions/sessions.ts'

export function startAdminSession(dashboard: SiteContext, provider: IdentityProvider): StartSession {
  const { primary } = dashboard.services
  return async (ctx, identity, secret) => {
    const id = await admitAdministrator(ctx, dashboard, provider, identity)
    const account = { id, issuer: provider.issuer, subject: identity.subject }
    if (!(await beginSession(primary, secret, account, readDevice(ctx)))) throw createDisabledFailure()
    const former = findViewer(ctx)?.secret
    if (former) await endSession(primary, former)
    return { adminId: id }
  }
}

/** Returns the administrator whose session to start. */
async function admitAdministrator(
  ctx: Context,
  { services }: SiteContext,
  { issuer, label }: IdentityProvider,
  { subject, email, isEmailVerified, role }: Identity,
): Promise<number> {
  const known = await findIdentity(services.primary, issuer, subject)
  if (known?.isDisabled) throw createDisabledFailure()
  if (role === undefined) {
    // Also ends the administrator's sessions in other browsers.
    if (known) await endSessions(services.primary, known.adminId)
    throw createSignInFailure(
      sentence`You have no access to Berth`,
      t`Your account at ${label} has no role here. Ask the people who manage it to give you one.`,
    )
  }
  if (known?.role === role) return known.adminId
  if (!known && email === undefined)
    throw createSignInFailure(
      sentence`Your e-mail address is missing`,
      t`${label} did not share your e-mail address with Berth.`,
    )
  const input = { issuer, subject, email, isEmailVerified, role }
  const origin = { ...createOrigin(ctx, { type: 'system', id: null, name: label }), idempotency: null }
  try {
    const outcome = await services.dispatcher.dispatch('admins.sign-in', input, origin)
    return requireReply(outcome).data.id
  } catch (error) {
    if (error instanceof Refusal && error.code === 'in_use')
      throw createSignInFailure(sentence`You cannot sign in`, error.message)
    throw error
  }
}

const createSignInFailure = (title: Sentence, detail: string) => new PageFailure(403, title, detail)

const createDisabledFailure = () =>
  createSignInFailure(sentence`Your account is disabled`, sentence`An owner can enable it again.`)
