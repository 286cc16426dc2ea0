// Why signing in through the provider failed, as far as people need to be told apart. What the provider says in words of its own
// is neither shown nor logged: it may hold what it was sent.

/**
 * `away`: it does not answer. `refused`: it let nobody in. `expired`: the code is too old or was used. `invalid`: it answered what
 * it must not, or knows us not as the settings say.
 */
export type ProviderFailureKind = 'away' | 'refused' | 'expired' | 'invalid'

export class ProviderFailure extends Error {
  readonly kind: ProviderFailureKind

  /** `reason` is for the log: a code, not a text of somebody else. */
  constructor(kind: ProviderFailureKind, reason: string) {
    super(reason)
    this.kind = kind
  }
}

type Thrown = {
  name?: string
  code?: unknown
  /** What OAuth calls what went wrong. */
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
  // Of fetch, which got no answer.
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
