// Answers every failure: a refusal with its own message, everything else opaquely.
import type { IncomingMessage } from 'node:http'
import {
  isDatabaseUnavailable,
  isDiskFull,
  isPoolExhausted,
  isTransient,
} from '../../../../shared/database/faults.ts'
import { message } from '../../../../shared/messages/message.ts'
import { internalError, problemBody, Refusal } from '../../../../shared/messages/refusal.ts'
import { databaseAway, unavailable } from '../../../overload/refusals.ts'
import type { Context, Middleware } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'
import { acceptsType } from './compress.ts'

// How much of a refused body is still read, so that its client sees the answer and not a reset.
const REST_BYTES_MAX = 64 * 1024 * 1024

export function errors(services: Services): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      answerRefusal(ctx, noteFailure(error, ctx, services))
      discardRest(ctx.req)
    }
  }
}

/** The refusal to answer a failure with; it is counted, and a bug of ours is logged in full. */
export function noteFailure(error: unknown, ctx: Context, { refusals }: Services): Refusal {
  const refusal = toRefusal(error)
  const { requestId, route } = ctx.state
  ctx.state.reason = refusal.reason
  ctx.state.refused = refusal.code
  refusals.note(refusal, error, { requestId, method: ctx.method, route })
  return refusal
}

// If a body were left half read, a client that reads only after sending everything would never see its
// answer, and the connection would never end. An endless body is cut off.
export function discardRest(request: IncomingMessage) {
  if (request.complete) return
  let left = REST_BYTES_MAX
  request.unpipe()
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.resume()
}

function answerRefusal(ctx: Context, refusal: Refusal) {
  ctx.status = refusal.status
  ctx.set(refusal.headers)
  ctx.body = problemBody(refusal, ctx.state)
  markAsProblem(ctx)
}

/** Failures are application/problem+json if the client names that type, else application/json. */
export function markAsProblem(ctx: Context) {
  const named = acceptsType(ctx.get('Accept'), 'application/problem+json')
  ctx.set('Content-Type', named ? 'application/problem+json' : 'application/json; charset=utf-8')
  ctx.vary('Accept')
}

const TOO_MANY_WAIT = message`Too many requests are waiting for the database. Nothing was changed; try again shortly.`
const DISK_FULL = message`The disk of the database is full. Nothing was changed; try again shortly.`
// Postgres has cancelled the statement, after a timeout or in a deadlock, and undone it.
const TOO_SLOW = message`The database did not answer in time. Nothing was changed; try again shortly.`

export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isPoolExhausted(error)) return unavailable('database_busy', TOO_MANY_WAIT)
  if (isDatabaseUnavailable(error)) return databaseAway()
  if (isDiskFull(error)) return unavailable('database_full', DISK_FULL)
  return isTransient(error) ? unavailable('database_busy', TOO_SLOW) : internalError()
}
