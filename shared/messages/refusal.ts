// Refusals: expected failures. They are thrown anywhere, with a stable code and a message, which becomes a
// sentence when it is answered. Anything else that is thrown is a bug or a fault.

import { type JsonText, jsonText } from '../utilities/json-text.ts'
import { counted, field, joinMessages, type Message, message } from './message.ts'
import { findRefusalKind, REFUSALS, type RefusalCode, type RefusalKind } from './refusal-kinds.ts'

export type { RefusalCode }

import { writeEnglish } from './write-message.ts'

/** Why something is “unavailable”, as /metrics tells it apart. */
export type UnavailableReason =
  | `${'writes' | 'reads' | 'listings' | 'maps' | 'pages' | 'screens'}_overload`
  | `queue_${'too_long' | 'refused'}`
  | `${'redis' | 'database'}_away`
  | `database_${'busy' | 'full'}`

export type FieldErrors = Record<string, Message[]>

type RefusalOptions = {
  errors?: FieldErrors | undefined
  /** Further members of the answer, such as `conflict` and `alternatives`. */
  members?: Record<string, unknown> | undefined
  headers?: Record<string, string> | undefined
  reason?: UnavailableReason
  /** Set if the worker of a newer release refused with a code that this release does not know. */
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
  /** The code, or the more exact reason if there is one. */
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
    this.headers = { ...retryAfter(code), ...options.headers }
    this.reason = options.reason ?? code
  }
}

const SENTENCES_SHOWN_MAX = 3

/** A refusal of invalid fields; its message is the first few sentences, and how many more there are. */
export function invalid(errors: FieldErrors): Refusal {
  const all = new Map(Object.values(errors).flatMap((each) => each.map((one) => [writeEnglish(one), one])))
  const shown = [...all.values()].slice(0, SENTENCES_SHOWN_MAX)
  const left = all.size - shown.length
  if (left > 0) shown.push(counted(left, 'There is # more error.', 'There are # more errors.'))
  const unnamed = { text: REFUSALS.validation_failed.explanation }
  return new Refusal('validation_failed', shown.length > 0 ? joinMessages(shown) : unnamed, { errors })
}

/** A bug or a fault of ours: the log has the details, the answer does not. */
export function internalError(): Refusal {
  return new Refusal(
    'internal_error',
    message`An unexpected error occurred. The log has the details under this ${field('request_id')}.`,
  )
}

/** For any path that no route answers, in the dashboard too. */
export function unknownPath(path: string): Refusal {
  return new Refusal('not_found', message`The path ${path} does not exist.`)
}

export function keyReused(): Refusal {
  return new Refusal(
    'idempotency_key_reused',
    message`This Idempotency-Key was already used for a different request.`,
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
  errors?: Record<string, string[]>
  request_id: string
  [member: string]: unknown
}

export function problemBody(
  refusal: Refusal,
  origin: { baseUrl: string; requestId: string },
): JsonText<Problem> {
  return jsonText<Problem>({
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

export function retryAfter(code: RefusalCode): Record<string, string> {
  const { retryAfterSeconds } = findRefusalKind(code) ?? {}
  return retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
}
