// Failures of signing in through the provider, by kind, each with its own message for the user. The
// provider's own text is neither shown nor logged, because it may contain what was sent to it.

/**
 * `away`: the provider does not answer. `refused`: it denied access. `expired`: the code is too old or was
 * used. `invalid`: its answer is wrong, or it does not know us as configured.
 */
export type ProviderFailureKind = 'away' | 'refused' | 'expired' | 'invalid'

export class ProviderFailure extends Error {
  readonly kind: ProviderFailureKind

  /** `reason` is for the log: a code, not text from another system. */
  constructor(kind: ProviderFailureKind, reason: string) {
    super(reason)
    this.kind = kind
  }
}

const OAUTH_CODE = /^[a-z_]{1,60}$/
const NO_ANSWER = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
]

/** What openid-client and fetch throw. `error` is the OAuth error code. */
type Thrown = { name?: string; code?: string; error?: unknown; status?: number; cause?: Partial<Thrown> }

export function toProviderFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ProviderFailure) return error
  const { name = '', code, error: said, status, cause } = error as Thrown
  const reason = typeof said === 'string' && OAUTH_CODE.test(said) ? said : String(code ?? name)
  const failure = (kind: ProviderFailureKind, ...words: unknown[]) =>
    new ProviderFailure(kind, words.filter(Boolean).join(' '))
  if (name === 'AuthorizationResponseError') return failure('refused', reason)
  if (name === 'ResponseBodyError') {
    if (Number(status) >= 500) return failure('away', reason, status)
    return failure(said === 'invalid_grant' ? 'expired' : 'invalid', reason)
  }
  // Thrown by fetch if there is no answer.
  if (error instanceof TypeError) return cause ? failure('away', cause.code ?? 'no connection') : error
  if (code && NO_ANSWER.includes(code)) return failure('away', code, cause?.status)
  const isInvalid = name === 'ClientError' || name === 'WWWAuthenticateChallengeError'
  return isInvalid ? failure('invalid', reason) : error
}
