// Refusals: expected failures, which any code may throw, with a stable code and a message. The message becomes a
// sentence when Berth answers the request. Anything else that code throws is a bug or a fault.

import { type JsonText, toJsonText } from '../utilities/json-text.ts'
import { countedMessage, fieldName, joinMessages, type Message, message } from './message.ts'
import { findRefusalKind, REFUSALS, type RefusalCode, type RefusalKind } from './refusal-kinds.ts'

export type { RefusalCode }

import { writeEnglish } from './write-message.ts'

/** The reasons for the code “unavailable”, which the metrics distinguish. */
export type UnavailableReason =
  | `${'writes' | 'reads' | 'listings' | 'maps' | 'pages' | 'screens'}_overload`
  | `queue_${'too_long' | 'refused'}`
  | `${'redis' | 'database'}_away`
  | `database_${'busy' | 'full'}`

export type FieldErrors = Record<string, Message[]>

type RefusalOptions = {
  errors?: FieldErrors | undefined
  /** Additional fields in the response, such as `conflict` and `alternatives`. */
  members?: Record<string, unknown> | undefined
  headers?: Record<string, string> | undefined
  reason?: UnavailableReason
  /** Set if a worker of a newer release refused the request with a code that this release does not know. */
  kind?: Pick<RefusalKind, 'status' | 'title'>
}

export class Refusal extends Error {
  readonly code: RefusalCode
  readonly detail: Message
  readonly status: number
  readonly title: string
  readonly errors: FieldErrors | undefined
  readonly members: Record<string, unknown>
  readonly headers: Record<string, string>
  /** The code of the refusal, or a more specific reason if there is one. */
  readonly reason: RefusalCode | UnavailableReason

  constructor(code: RefusalCode, detail: Message, options: RefusalOptions = {}) {
    super(writeEnglish(detail))
    this.code = code
    this.detail = detail
    const { status, title } = options.kind ?? REFUSALS[code]
    this.status = status
    this.title = title
    this.errors = options.errors
    this.members = options.members ?? {}
    this.headers = { ...createRetryAfterHeader(code), ...options.headers }
    this.reason = options.reason ?? code
  }
}

const SENTENCES_SHOWN_MAX = 3

/** Returns a refusal of invalid fields. Its message contains the first few sentences, and how many others there are. */
export function invalidFields(errors: FieldErrors): Refusal {
  const all = new Map(Object.values(errors).flatMap((each) => each.map((one) => [writeEnglish(one), one])))
  const shown = [...all.values()].slice(0, SENTENCES_SHOWN_MAX)
  const left = all.size - shown.length
  if (left > 0) shown.push(countedMessage(left, 'There is # more error.', 'There are # more errors.'))
  const unnamed = { text: REFUSALS.validation_failed.explanation }
  return new Refusal('validation_failed', shown.length > 0 ? joinMessages(shown) : unnamed, { errors })
}

/** Returns the response for a bug or a fault in Berth. The details only go to the log. */
export function createInternalError(): Refusal {
  return new Refusal(
    'internal_error',
    message`An unexpected error occurred. The log has the details under this ${fieldName('request_id')}.`,
  )
}

/** Returns the refusal of a path that no route serves, in the API and the dashboard. */
export function createUnknownPathRefusal(path: string): Refusal {
  return new Refusal('not_found', message`The path ${path} does not exist.`)
}

export function createKeyReusedRefusal(): Refusal {
  return new Refusal(
    'idempotency_key_reused',
    message`This Idempotency-Key was already used for a different request.`,
  )
}

/** The format of every error: RFC 9457, with Berth's own `code`, `message`, `errors` and `request_id`. */
export type Problem = {
  type: string
  title: string
  status: number
  code: RefusalCode
  detail: string
  message: string
  errors?: Record<string, string[]>
  request_id: string
  [member: string]: unknown
}

export function createProblemBody(
  refusal: Refusal,
  origin: { baseUrl: string; requestId: string },
): JsonText<Problem> {
  return toJsonText<Problem>({
    type: `${origin.baseUrl}/api/docs/errors#${refusal.code}`,
    title: refusal.title,
    status: refusal.status,
    code: refusal.code,
    detail: refusal.message,
    message: refusal.message,
    ...(refusal.errors ? { errors: writeErrors(refusal.errors) } : {}),
    ...refusal.members,
    request_id: origin.requestId,
  })
}

export function writeErrors(errors: FieldErrors): Record<string, string[]> {
  return Object.fromEntries(Object.entries(errors).map(([path, each]) => [path, each.map(writeEnglish)]))
}

export function createRetryAfterHeader(code: RefusalCode): Record<string, string> {
  const { retryAfterSeconds } = findRefusalKind(code) ?? {}
  return retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
}
