// The error classes. Programs distinguish errors by `code`, which is one of the server's codes or one of two that the
// client adds.
import type { Problem } from './generated/schemas.ts'

/**
 * `no_answer`: the server could not be reached. `unexpected_answer`: the response did not come from Berth, but for
 * example from a proxy.
 */
export type ErrorCode = Problem['code'] | 'no_answer' | 'unexpected_answer'

type Details = Partial<Problem> & { index?: number }

export class BerthError extends Error {
  override readonly name: string = 'BerthError'
  /** The HTTP status of the response, or 0 if there was none. */
  readonly status: number
  readonly code: ErrorCode
  /** Set on 422: the names of the invalid fields, with the problems of each. */
  readonly errors: Record<string, string[]>
  /** Describes what the requested booking conflicts with. */
  readonly conflict: Problem['conflict']
  /** Free alternatives to what was requested. */
  readonly alternatives: NonNullable<Problem['alternatives']>
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  /** The problem document as the server sent it. */
  readonly problem: Details

  constructor(status: number, code: ErrorCode, problem: Details, headers?: Headers, cause?: unknown) {
    super(problem.detail ?? `The server answered ${status}.`, cause === undefined ? {} : { cause })
    this.status = status
    this.code = code
    this.errors = problem.errors ?? {}
    this.conflict = problem.conflict
    this.alternatives = problem.alternatives ?? []
    this.requestId = problem.request_id ?? headers?.get('X-Request-Id') ?? undefined
    this.retryAfterMs = readRetryAfter(headers?.get('Retry-After'))
    this.problem = problem
  }
}

/**
 * The server sent no response, or only part of one. A write may have happened: repeat it with the same idempotency key.
 */
export class ConnectionError extends BerthError {
  override readonly name = 'ConnectionError'
  constructor(detail: string, cause?: unknown) {
    super(0, 'no_answer', { detail }, undefined, cause)
  }
}

/** HTTP 401: the server does not accept the token. */
export class AuthenticationError extends BerthError {
  override readonly name = 'AuthenticationError'
}
/** HTTP 403: the token does not permit the request. */
export class PermissionError extends BerthError {
  override readonly name = 'PermissionError'
}
/** HTTP 404: the resource does not exist. */
export class NotFoundError extends BerthError {
  override readonly name = 'NotFoundError'
}
/** HTTP 409: the time is taken, or a rule or the state of the resource does not allow the request. */
export class ConflictError extends BerthError {
  override readonly name = 'ConflictError'
}
/** HTTP 412: the resource was changed after its ETag was read. */
export class PreconditionError extends BerthError {
  override readonly name = 'PreconditionError'
}
/** HTTP 422: the request is invalid. */
export class ValidationError extends BerthError {
  override readonly name = 'ValidationError'
}
/** HTTP 429: there were too many requests. */
export class RateLimitError extends BerthError {
  override readonly name = 'RateLimitError'
}
/** HTTP 5xx: the server failed, or is unavailable. */
export class ServerError extends BerthError {
  override readonly name = 'ServerError'
}

const CLASSES: Record<number, typeof BerthError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionError,
  422: ValidationError,
  429: RateLimitError,
}

/** Converts an unsuccessful response to an error. */
export function toBerthError({ status, headers }: Response, text: string): BerthError {
  const ErrorClass = CLASSES[status] ?? (status >= 500 ? ServerError : BerthError)
  const problem = parseProblem(text)
  return new ErrorClass(status, problem.code ?? 'unexpected_answer', problem, headers)
}

function parseProblem(text: string): Details {
  try {
    const problem: unknown = JSON.parse(text)
    return typeof problem === 'object' && problem !== null ? problem : {}
  } catch {
    return {}
  }
}

/** Parses a `Retry-After` header, in seconds or as a date, and returns milliseconds from now. */
function readRetryAfter(value: string | null | undefined): number | undefined {
  if (!value) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
