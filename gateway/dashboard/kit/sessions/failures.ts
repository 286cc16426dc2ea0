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

type Thrown = {
  name?: string
  code?: unknown
  /** The OAuth error code. */
  error?: unknown
  status?: unknown
  cause?: { code?: unknown; status?: unknown } | undefined
}

const OAUTH_CODE = /^[a-z_]{1,60}$/

export function toProviderFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ProviderFailure) return error
  const { name, code, error: said, status, cause } = error as Thrown
  const reason = typeof said === 'string' && OAUTH_CODE.test(said) ? said : String(code ?? name)
  if (name === 'AuthorizationResponseError') return new ProviderFailure('refused', reason)
  if (name === 'ResponseBodyError') {
    if (Number(status) >= 500) return new ProviderFailure('away', `${reason} ${status}`)
    return new ProviderFailure(said === 'invalid_grant' ? 'expired' : 'invalid', reason)
  }
  // Thrown by fetch if there is no answer.
  if (error instanceof TypeError) {
    if (cause === undefined) return error
    return new ProviderFailure('away', String(cause.code ?? 'no connection'))
  }
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT') return new ProviderFailure('away', String(code))
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' || code === 'OAUTH_RESPONSE_IS_NOT_JSON')
    return new ProviderFailure('away', `${code} ${cause?.status ?? ''}`.trim())
  if (name === 'ClientError' || name === 'WWWAuthenticateChallengeError')
    return new ProviderFailure('invalid', reason)
  return error
}
