// The second half of signing in through the provider: the browser comes back with a code, and those who have access get a
// session.
import type { Context } from '../../../server/services/context.ts'
import { type Sentence, sentence, t } from '../../locales/translate.ts'
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
import type { SiteContext } from '../page/context.ts'
import { identify, setSession } from '../page/viewers.ts'

export const CALLBACK_PATH = '/sign-in/callback'

// The parameters of an answer; all others are ignored.
const ANSWER = ['code', 'state', 'iss', 'error']

/** Where the provider sends the browser back to. This address must be registered with the provider. */
export function callbackAddress({ baseUrl }: { baseUrl: string }, base: string): string {
  return baseUrl + base + CALLBACK_PATH
}

/** Gives the account of this identity the session of `secret`, and returns who it is, for the log. */
export type StartSession = (ctx: Context, identity: Identity, secret: string) => Promise<object>

export async function finishSignIn(
  ctx: Context,
  site: SiteContext,
  provider: IdentityProvider,
  start: StartSession,
): Promise<void> {
  const { services, root, base } = site
  const about = { address: ctx.ip, requestId: ctx.state.requestId }
  await identify(ctx, site)
  const attempt = takeAttempt(ctx, root)
  try {
    const identity = await redeem(ctx, provider, attempt, base)
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
