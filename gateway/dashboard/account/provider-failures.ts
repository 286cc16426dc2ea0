// The messages for failures of signing in through the provider.
import { PageFailure } from '../kit/sessions/failure.ts'
import type { ProviderFailure, ProviderFailureKind } from '../kit/sessions/failures.ts'
import { type Sentence, sentence, t } from '../locales/translate.ts'

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
    detail: () => t`It took too long, was used already, or began in another browser. Sign in again.`,
  },
  invalid: {
    status: 502,
    title: sentence`Sign-in failed`,
    detail: (label) =>
      t`Berth could not verify the answer from ${label}. If this happens again, ask your Berth operator to check the log.`,
  },
}

export function describeProviderFailure(
  { kind }: ProviderFailure,
  { label }: { label: string },
): PageFailure {
  const { status, title, detail } = FAILURE_TEXTS[kind]
  return new PageFailure(status, title, detail(label))
}

export function signInRefused(title: Sentence, detail: string): PageFailure {
  return new PageFailure(403, title, detail)
}
