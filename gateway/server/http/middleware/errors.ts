// Responds to every failure: to a refusal with its message, and to any other error without details.
import type { IncomingMessage } from 'node:http'
import {
  isDatabaseUnavailable,
  isDiskFull,
  isPoolExhausted,
  isTransient,
} from '../../../../shared/database/faults.ts'
import { message } from '../../../../shared/messages/message.ts'
import { createInternalError, createProblemBody, Refusal } from '../../../../shared/messages/refusal.ts'
import { databaseUnavailable, serviceUnavailable } from '../../../overload/refusals.ts'
import type { Context, Middleware } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'
import { doesAcceptType } from './compress.ts'

// How much of a refused body is still read, so that the client sees the response instead of a connection reset.
const DISCARDED_BYTES_MAX = 64 * 1024 * 1024

export function answerErrors(services: Services): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      answerRefusal(ctx, recordFailure(error, ctx, services))
      discardRestOfBody(ctx.req)
    }
  }
}

/** Returns the refusal for a failure, and counts it. Logs failures that are our own bugs in full. */
export function recordFailure(error: unknown, ctx: Context, { refusals }: Services): Refusal {
  const refusal = toRefusal(error)
  const { requestId, route } = ctx.state
  ctx.state.reason = refusal.reason
  ctx.state.refused = refusal.code
  refusals.note(refusal, error, { requestId, method: ctx.method, route })
  return refusal
}

// Reads and discards the rest of the body. Otherwise a client that reads only after sending everything would never see
// its response, and the connection would never end. A body that is too long is cut off.
export function discardRestOfBody(request: IncomingMessage) {
  if (request.complete) return
  let left = DISCARDED_BYTES_MAX
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
  ctx.body = createProblemBody(refusal, ctx.state)
  setProblemContentType(ctx)
}

/** Sets the type of an error: application/problem+json if the client names that type, or else application/json. */
export function setProblemContentType(ctx: Context) {
  const named = doesAcceptType(ctx.get('Accept'), 'application/problem+json')
  ctx.set('Content-Type', named ? 'application/problem+json' : 'application/json; charset=utf-8')
  ctx.vary('Accept')
}

const TOO_MANY_WAITING = message`Too many requests are waiting for the database. Nothing was changed; try again shortly.`
const DISK_FULL = message`The database has run out of disk space. Nothing was changed; try again later.`
// The message for a statement that Postgres has cancelled and undone, after a timeout or in a deadlock.
const STATEMENT_CANCELLED = message`The database did not answer in time. Nothing was changed; try again shortly.`

export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isPoolExhausted(error)) return serviceUnavailable('database_busy', TOO_MANY_WAITING)
  if (isDatabaseUnavailable(error)) return databaseUnavailable()
  if (isDiskFull(error)) return serviceUnavailable('database_full', DISK_FULL)
  return isTransient(error) ? serviceUnavailable('database_busy', STATEMENT_CANCELLED) : createInternalError()
}
