// Failures as classes. `code` is what programs branch on: the server's codes, and two of the client itself.
import type { Problem } from './generated/schemas.ts'

/** `no_answer`: the server could not be reached. `unexpected_answer`: the answer is not Berth's, but a proxy's, say. */
export type ErrorCode = Problem['code'] | 'no_answer' | 'unexpected_answer'

type Details = Partial<Problem> & { index?: number }

export class BerthError extends Error {
  override readonly name: string = 'BerthError'
  /** The status of the answer, 0 if there was none. */
  readonly status: number
  readonly code: ErrorCode
  /** 422: the fields, each with what is wrong with it. */
  readonly errors: Record<string, string[]>
  /** What conflicts with the requested booking. */
  readonly conflict: Problem['conflict']
  /** Free alternatives. */
  readonly alternatives: NonNullable<Problem['alternatives']>
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  /** The answer as it came. */
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

/** No answer, or only part of one. A write may have happened: repeat it with the same idempotency key. */
export class ConnectionError extends BerthError {
  override readonly name = 'ConnectionError'
  constructor(detail: string, cause?: unknown) {
    super(0, 'no_answer', { detail }, undefined, cause)
  }
}

/** 401. */
export class AuthenticationError extends BerthError {
  override readonly name = 'AuthenticationError'
}
/** 403. */
export class PermissionError extends BerthError {
  override readonly name = 'PermissionError'
}
/** 404. */
export class NotFoundError extends BerthError {
  override readonly name = 'NotFoundError'
}
/** 409: the time is taken, or a rule or the state of something does not allow it. */
export class ConflictError extends BerthError {
  override readonly name = 'ConflictError'
}
/** 412: it was changed since its ETag was read. */
export class PreconditionError extends BerthError {
  override readonly name = 'PreconditionError'
}
/** 422. */
export class ValidationError extends BerthError {
  override readonly name = 'ValidationError'
}
/** 429. */
export class RateLimitError extends BerthError {
  override readonly name = 'RateLimitError'
}
/** 5xx. */
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

/** The error of an answer that is not a success. */
export function errorOf({ status, headers }: Response, text: string): BerthError {
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

/** Seconds or a date, in milliseconds from now. */
function readRetryAfter(value: string | null | undefined): number | undefined {
  if (!value) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
