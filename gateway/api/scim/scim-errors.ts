// Converts all failures to the SCIM error format (RFC 7644, 3.12).

import type { RefusedOutcome } from '../../../shared/jobs/jobs.ts'
import { literal } from '../../../shared/messages/message.ts'
import { type Problem, Refusal, type RefusalCode, retryAfter } from '../../../shared/messages/refusal.ts'
import type { Answer, RequestCall } from '../../server/http/call.ts'
import { discardRest, noteFailure } from '../../server/http/middleware/errors.ts'
import type { Context, Middleware } from '../../server/services/context.ts'
import type { Services } from '../../server/services/services.ts'

export const SCIM_TYPE = 'application/scim+json; charset=utf-8'
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

type ScimType =
  | 'uniqueness'
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'

/** In English, for developers of identity providers. */
export function refuse(scimType: ScimType, detail: string): Refusal {
  return new Refusal('malformed_body', literal(detail), { members: { scimType } })
}

// Where the status differs from that of the API.
const STATUSES: Partial<Record<RefusalCode, number>> = {
  validation_failed: 400,
  // Providers take 409 for a user who exists already, and repeat a 503.
  import_running: 503,
}
const TYPES: Partial<Record<RefusalCode, ScimType>> = {
  malformed_body: 'invalidSyntax',
  validation_failed: 'invalidValue',
}

type Failure = Pick<Problem, 'code' | 'status' | 'detail'> & { scimType?: unknown }

function errorBody({ code, status, detail, scimType = TYPES[code] }: Failure) {
  const answered = scimType === 'uniqueness' ? 409 : (STATUSES[code] ?? status)
  const body = {
    schemas: [ERROR_SCHEMA],
    status: String(answered),
    ...(scimType ? { scimType } : {}),
    detail,
  }
  return { status: answered, body: JSON.stringify(body) }
}

/** A write that a worker has refused. */
export function answerRefused({ ctx }: RequestCall, outcome: RefusedOutcome): Answer {
  ctx.state.refused = outcome.refused
  const problem: Failure = JSON.parse(outcome.body)
  return { ...errorBody(problem), headers: retryAfter(problem.code), contentType: SCIM_TYPE }
}

/** Answers whatever fails below /scim. */
export function scimErrors(services: Services): Middleware {
  return async (ctx, next) => {
    if (!isScimPath(ctx)) return next()
    try {
      return await next()
    } catch (error) {
      const { code, status, message: detail, members, headers } = noteFailure(error, ctx, services)
      const failure = errorBody({ code, status, detail, scimType: members.scimType })
      ctx.status = failure.status
      ctx.set(headers)
      ctx.body = failure.body
      ctx.set('Content-Type', SCIM_TYPE)
      discardRest(ctx.req)
    }
  }
}

const isScimPath = ({ path }: Context) => path === '/scim' || path.startsWith('/scim/')
