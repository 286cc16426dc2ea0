// What people are told when signing in through the provider fails.
import { PageFailure } from '../framework/failure.ts'
import type { ProviderFailure, ProviderFailureKind } from '../framework/single-sign-on/failures.ts'

type Said = { status: number; title: string; detail(label: string): string }

const SAID: Record<ProviderFailureKind, Said> = {
  away: {
    status: 503,
    title: 'Sign-in is not available',
    detail: (label) => `There is no answer from ${label} right now. Try again shortly.`,
  },
  refused: {
    status: 403,
    title: 'You were not signed in',
    detail: (label) => `Signing in with ${label} was cancelled or refused there. You can try again.`,
  },
  expired: {
    status: 400,
    title: 'This sign-in has expired',
    detail: () => 'It took too long, was used already, or began in another browser. Sign in again.',
  },
  invalid: {
    status: 502,
    title: 'Sign-in failed',
    detail: (label) =>
      `Berth could not verify the answer from ${label}. If this happens again, ask whoever runs Berth to look at its log.`,
  },
}

export function describeProviderFailure(
  { kind }: ProviderFailure,
  { label }: { label: string },
): PageFailure {
  const { status, title, detail } = SAID[kind]
  return new PageFailure(status, title, detail(label))
}

export function signInRefused(title: string, detail: string): PageFailure {
  return new PageFailure(403, title, detail)
}
