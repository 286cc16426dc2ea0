// Refusals: the failures that are expected. Thrown anywhere, each has a stable code, words itself, and is answered
// in one place. Everything else that is thrown is a bug or a fault.
import { REFUSALS, type RefusalKind } from './refusals/kinds.ts'
import { type JsonText, jsonText } from './shapes/json-text.ts'

export type RefusalCode = keyof typeof REFUSALS

/** What “unavailable” stands for: /metrics tells them apart. */
export type UnavailableReason =
  | `${'writes' | 'reads' | 'listings' | 'maps'}_overload`
  | `queue_${'too_long' | 'refused'}`
  | `${'redis' | 'database'}_away`
  | 'database_busy'

export type FieldErrors = Record<string, string[]>

export type RefusalOptions = {
  errors?: FieldErrors | undefined
  /** Further members of the answer, such as `conflict` and `alternatives`. */
  members?: Record<string, unknown> | undefined
  headers?: Record<string, string> | undefined
  reason?: UnavailableReason
}

export class Refusal extends Error {
  readonly code: RefusalCode
  readonly status: number
  readonly errors: FieldErrors | undefined
  readonly members: Record<string, unknown>
  readonly headers: Record<string, string>
  /** The code, or what it stands for this time. */
  readonly reason: RefusalCode | UnavailableReason

  constructor(code: RefusalCode, detail: string, options: RefusalOptions = {}) {
    super(detail)
    this.code = code
    this.status = REFUSALS[code].status
    this.errors = options.errors
    this.members = options.members ?? {}
    this.headers = { ...retryAfter(code), ...options.headers }
    this.reason = options.reason ?? code
  }
}

/** A refusal of fields; the sentence of the whole is the first of them. */
export function invalid(errors: FieldErrors): Refusal {
  const sentences = Object.values(errors).flat()
  const [first = REFUSALS.validation_failed.explanation] = sentences
  const more = sentences.length > 1 ? ` (and ${sentences.length - 1} more)` : ''
  return new Refusal('validation_failed', first + more, { errors })
}

/** A bug or a fault of ours: the log has what happened, the answer does not. */
export function internalError(detail = 'An unexpected error occurred.'): Refusal {
  return new Refusal('internal_error', `${detail} The log has the details under this request_id.`)
}

/** Also of the dashboard: whatever no route answers. */
export function unknownPath(path: string): Refusal {
  return new Refusal('not_found', `The path ${path} does not exist.`)
}

export function keyReused(): Refusal {
  return new Refusal(
    'idempotency_key_reused',
    'This Idempotency-Key was already used for a different request.',
  )
}

/** The one shape of every failure: RFC 9457 with `code`, `message`, `errors` and `request_id` of our own. */
export type Problem = {
  type: string
  title: string
  status: number
  code: RefusalCode
  detail: string
  message: string
  errors?: FieldErrors
  request_id: string
  [member: string]: unknown
}

export function problemBody(
  refusal: Refusal,
  origin: { baseUrl: string; requestId: string },
): JsonText<Problem> {
  return jsonText<Problem>({
    type: `${origin.baseUrl}/api/docs/errors#${refusal.code}`,
    title: REFUSALS[refusal.code].title,
    status: refusal.status,
    code: refusal.code,
    detail: refusal.message,
    message: refusal.message,
    ...(refusal.errors ? { errors: refusal.errors } : {}),
    ...refusal.members,
    request_id: origin.requestId,
  })
}

export function retryAfter(code: RefusalCode): Record<string, string> {
  const kind: RefusalKind = REFUSALS[code]
  return kind.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(kind.retryAfterSeconds) }
}
