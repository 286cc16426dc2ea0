// Failures that occur only in the dashboard, including failures of signing in through the identity provider.
// All other failures are the API's refusals, shown as pages.
import { type Message, type MessageValue, message } from '../../../shared/messages/message.ts'

export class PageFailure extends Error {
  readonly status: number
  readonly title: string

  constructor(status: number, title: string, detail: string) {
    super(detail)
    this.status = status
    this.title = title
  }
}

/**
 * Adds the id of the request to a message. The API's message refers to the field `request_id` of the response, while a
 * page shows the id itself.
 */
export function addRequestId(told: Message, requestId: string): Message {
  const isId = (value: MessageValue) =>
    typeof value === 'object' && 'field' in value && value.field === 'request_id'
  const id = message`request ID ${requestId}`
  return { ...told, values: told.values?.map((value) => (isId(value) ? id : value)) ?? [] }
}

/** What failed at the identity provider. `away`: the provider does not respond. `refused`: it denied access.
 * `expired`: the code is too old or was used. `invalid`: its response is wrong, or it does not accept Berth's
 * configuration. */
export type ProviderFailureKind = 'away' | 'refused' | 'expired' | 'invalid'

export class ProviderFailure extends Error {
  readonly kind: ProviderFailureKind

  /** `reason` is for the log. It is a code, not text from another system. */
  constructor(kind: ProviderFailureKind, reason: string) {
    super(reason)
    this.kind = kind
  }
}

const OAUTH_CODE_PATTERN = /^[a-z_]{1,60}$/
const NO_ANSWER_CODES = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
]

/** An error that openid-client or fetch throws. `error` is the OAuth error code. */
type ThrownError = {
  name?: string
  code?: string
  error?: unknown
  status?: number
  cause?: Partial<ThrownError>
}

export function toProviderFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ProviderFailure) return error
  const { name = '', code, error: said, status, cause } = error as ThrownError
  const reason = typeof said === 'string' && OAUTH_CODE_PATTERN.test(said) ? said : String(code ?? name)
  const failure = (kind: ProviderFailureKind, ...words: unknown[]) =>
    new ProviderFailure(kind, words.filter(Boolean).join(' '))
  if (name === 'AuthorizationResponseError') return failure('refused', reason)
  if (name === 'ResponseBodyError') {
    if (Number(status) >= 500) return failure('away', reason, status)
    return failure(said === 'invalid_grant' ? 'expired' : 'invalid', reason)
  }
  // fetch throws a TypeError if there is no response.
  if (error instanceof TypeError) return cause ? failure('away', cause.code ?? 'no connection') : error
  if (code && NO_ANSWER_CODES.includes(code)) return failure('away', code, cause?.status)
  const isInvalid = name === 'ClientError' || name === 'WWWAuthenticateChallengeError'
  return isInvalid ? failure('invalid', reason) : error
}
