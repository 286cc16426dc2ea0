// The second half of signing in through the provider: the browser comes back with a code. Those who have access get a
// session. A job (admins.sign-in) writes what changes about them, and only runs if
// something changes.
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { replyOf } from '../../../queue/replies.ts'
import type { Context } from '../../../server/services/context.ts'
import { type Sentence, sentence, t } from '../../locales/translate.ts'
import { originFrom } from '../../pages/page/actions.ts'
import type { SiteContext } from '../../pages/page/context.ts'
import { deviceOf } from '../../pages/page/request.ts'
import { identify, setSession, viewerOf } from '../../pages/page/viewers.ts'
import { linkTo } from '../../sessions/addresses.ts'
import { PageFailure, ProviderFailure, type ProviderFailureKind } from '../../sessions/failure.ts'
import {
  type Attempt,
  type Identity,
  type IdentityProvider,
  type ProviderAnswer,
  takeAttempt,
} from '../../sessions/provider.ts'
import { createSecret, equalSecrets } from '../../sessions/secrets.ts'
import { beginSession, endSession, endSessions, findIdentity } from '../../sessions/sessions.ts'

export const CALLBACK_PATH = '/sign-in/callback'

// The parameters of an answer; all others are ignored.
const ANSWER = ['code', 'state', 'iss', 'error']

/** Where the provider sends the browser back to. This address must be registered with the provider. */
export function callbackAddress({ baseUrl }: { baseUrl: string }, base: string): string {
  return baseUrl + base + CALLBACK_PATH
}

/** Gives the account of this identity the session of `secret`, and returns who it is, for the log. */
type StartSession = (ctx: Context, identity: Identity, secret: string) => Promise<object>

export async function finishSignIn(
  ctx: Context,
  dashboard: SiteContext,
  provider: IdentityProvider,
  start: StartSession,
): Promise<void> {
  const { services, root, base } = dashboard
  const about = { address: ctx.ip, requestId: ctx.state.requestId }
  await identify(ctx, dashboard)
  const attempt = takeAttempt(ctx, root)
  try {
    const identity = await redeem(ctx, provider, attempt, base)
    const secret = createSecret()
    const account = await start(ctx, identity, secret)
    setSession(ctx, secret, dashboard)
    services.log.info({ ...account, ...about }, 'signed in')
    ctx.redirect(linkTo(root, attempt?.next ?? '/'))
  } catch (error) {
    const failure = error instanceof ProviderFailure ? describeProviderFailure(error, provider) : error
    if (failure instanceof PageFailure) {
      const why = error instanceof ProviderFailure ? `${error.kind}: ${error.message}` : failure.title
      services.log.warn({ ...about, why }, 'sign-in failed')
    }
    throw failure
  }
}

/** For administrators. */
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

function redeem(
  ctx: Context,
  provider: IdentityProvider,
  attempt: Attempt | undefined,
  base: string,
): Promise<Identity> {
  const answer: ProviderAnswer = {}
  for (const name of ANSWER) {
    const value = ctx.query[name]
    if (typeof value === 'string') answer[name] = value
  }
  // Checked before asking the provider, so that requests that did not begin in this browser cost nothing.
  if (!attempt || !equalSecrets(answer['state'] ?? '', attempt.state))
    throw new ProviderFailure('expired', 'not begun in this browser')
  return provider.redeem(attempt, callbackAddress(ctx.state, base), answer)
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

// The log contains the titles too, in English.
type FailureText = { status: number; title: Sentence; detail(label: string): string }

const FAILURE_TEXTS: Record<ProviderFailureKind, FailureText> = {
  away: {
    status: 503,
    title: sentence`Sign-in is not available`,
    detail: (label) => t`${label} is not responding right now. Try again shortly.`,
  },
  refused: {
    status: 403,
    title: sentence`You were not signed in`,
    detail: (label) => t`Signing in with ${label} was cancelled or refused there. You can try again.`,
  },
  expired: {
    status: 400,
    title: sentence`This sign-in has expired`,
    detail: () => t`Signing in took too long, or began in another browser. Sign in again.`,
  },
  invalid: {
    status: 502,
    title: sentence`Sign-in failed`,
    detail: (label) =>
      t`Berth could not verify the answer from ${label}. If this happens again, ask your Berth operator to check the log.`,
  },
}

export function describeProviderFailure({ kind }: ProviderFailure, provider: { label: string }): PageFailure {
  const { status, title, detail } = FAILURE_TEXTS[kind]
  return new PageFailure(status, title, detail(provider.label))
}

const refused = (title: Sentence, detail: string) => new PageFailure(403, title, detail)

const disabled = () => refused(sentence`Your account is disabled`, sentence`An owner can enable it again.`)
