// Failures that occur only in the dashboard, and those of signing in through the provider. All others are the
// API's refusals, shown as pages.
import { type Message, message, type Value } from '../../../shared/messages/message.ts'

export class PageFailure extends Error {
  readonly status: number
  readonly title: string

  constructor(status: number, title: string, detail: string) {
    super(detail)
    this.status = status
    this.title = title
  }
}

/** The API's message refers to the field `request_id` of its answer; a page shows the id itself. */
export function withRequestId(told: Message, requestId: string): Message {
  const isId = (value: Value) => typeof value === 'object' && 'field' in value && value.field === 'request_id'
  const id = message`request ID ${requestId}`
  return { ...told, values: told.values?.map((value) => (isId(value) ? id : value)) ?? [] }
}

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
