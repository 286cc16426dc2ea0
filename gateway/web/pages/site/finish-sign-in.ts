// The second half of signing in through the identity provider. The browser comes back with a code, and people who have
// access get a session.
import type { Context } from '../../../server/services/context.ts'
import { type Sentence, sentence, t } from '../../locales/translate.ts'
import { linkTo } from '../../sessions/addresses.ts'
import { PageFailure, ProviderFailure, type ProviderFailureKind } from '../../sessions/failure.ts'
import {
  type Identity,
  type IdentityProvider,
  type ProviderAnswer,
  readAndDeleteSignInAttempt,
  type SignInAttempt,
} from '../../sessions/provider.ts'
import { areSecretsEqual, createSecret } from '../../sessions/secrets.ts'
import type { SiteContext } from '../page/context.ts'
import { identifyViewer, setSession } from '../page/viewers.ts'

export const CALLBACK_PATH = '/sign-in/callback'

// The parameters that the identity provider adds when it sends the browser back. All others are ignored.
const ANSWER_PARAMETERS = ['code', 'state', 'iss', 'error']

/**
 * Returns the address to which the identity provider sends the browser back. It must be registered with the provider.
 */
export function formatCallbackAddress({ baseUrl }: { baseUrl: string }, base: string): string {
  return baseUrl + base + CALLBACK_PATH
}

/** Starts the session of `secret` for the account of this identity. Returns the account's owner, for the log. */
export type StartSession = (ctx: Context, identity: Identity, secret: string) => Promise<object>

export async function finishSignIn(
  ctx: Context,
  site: SiteContext,
  provider: IdentityProvider,
  start: StartSession,
): Promise<void> {
  const { services, root, base } = site
  const about = { address: ctx.ip, requestId: ctx.state.requestId }
  await identifyViewer(ctx, site)
  const attempt = readAndDeleteSignInAttempt(ctx, root)
  try {
    const identity = await redeemCode(ctx, provider, attempt, base)
    const secret = createSecret()
    const account = await start(ctx, identity, secret)
    setSession(ctx, secret, site)
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

function redeemCode(
  ctx: Context,
  provider: IdentityProvider,
  attempt: SignInAttempt | undefined,
  base: string,
): Promise<Identity> {
  const answer: ProviderAnswer = {}
  for (const name of ANSWER_PARAMETERS) {
    const value = ctx.query[name]
    if (typeof value === 'string') answer[name] = value
  }
  // Checks the state before asking the provider, so that requests that did not begin in this browser cost nothing.
  if (!attempt || !areSecretsEqual(answer['state'] ?? '', attempt.state))
    throw new ProviderFailure('expired', 'not begun in this browser')
  return provider.redeem(attempt, formatCallbackAddress(ctx.state, base), answer)
}

// The texts about failures. The log contains their titles too, in English.
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
    detail: () => t`Signing in took too long or was started in another browser. Sign in again.`,
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
