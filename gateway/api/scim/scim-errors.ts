// Converts all failures to the SCIM error format (RFC 7644, section 3.12).

import type { RefusedOutcome } from '../../../shared/jobs/jobs.ts'
import { literalMessage } from '../../../shared/messages/message.ts'
import {
  createRetryAfterHeader,
  type Problem,
  Refusal,
  type RefusalCode,
} from '../../../shared/messages/refusal.ts'
import type { Answer, RequestCall } from '../../server/http/call.ts'
import { discardRestOfBody, recordFailure } from '../../server/http/middleware/errors.ts'
import type { Context, Middleware } from '../../server/services/context.ts'
import type { Services } from '../../server/services/services.ts'

export const SCIM_MEDIA_TYPE = 'application/scim+json; charset=utf-8'
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

type ScimType =
  | 'uniqueness'
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'

/** Creates a refusal with a SCIM error type. The detail is in English, for developers of identity providers. */
export function createScimRefusal(scimType: ScimType, detail: string): Refusal {
  return new Refusal('malformed_body', literalMessage(detail), { members: { scimType } })
}

// The HTTP statuses of refusals for which SCIM and the API use different statuses.
const SCIM_STATUSES: Partial<Record<RefusalCode, number>> = {
  validation_failed: 400,
  // Identity providers treat a 409 as “user already exists”, and repeat a request after a 503.
  import_running: 503,
}
const SCIM_TYPES: Partial<Record<RefusalCode, ScimType>> = {
  malformed_body: 'invalidSyntax',
  validation_failed: 'invalidValue',
}

type ScimFailure = Pick<Problem, 'code' | 'status' | 'detail'> & { scimType?: unknown }

function createErrorBody({ code, status, detail, scimType = SCIM_TYPES[code] }: ScimFailure) {
  const answered = scimType === 'uniqueness' ? 409 : (SCIM_STATUSES[code] ?? status)
  const body = {
    schemas: [ERROR_SCHEMA],
    status: String(answered),
    ...(scimType ? { scimType } : {}),
    detail,
  }
  return { status: answered, body: JSON.stringify(body) }
}

/** Returns the response to a write that a worker has refused. */
export function answerRefusal({ ctx }: RequestCall, outcome: RefusedOutcome): Answer {
  ctx.state.refused = outcome.refused
  const problem: ScimFailure = JSON.parse(outcome.body)
  return {
    ...createErrorBody(problem),
    headers: createRetryAfterHeader(problem.code),
    contentType: SCIM_MEDIA_TYPE,
  }
}

/** Converts every failure of a request below /scim to a SCIM error. */
export function handleScimErrors(services: Services): Middleware {
  return async (ctx, next) => {
    if (!isScimPath(ctx)) return next()
    try {
      return await next()
    } catch (error) {
      const { code, status, message: detail, members, headers } = recordFailure(error, ctx, services)
      const failure = createErrorBody({ code, status, detail, scimType: members.scimType })
      ctx.status = failure.status
      ctx.set(headers)
      ctx.body = failure.body
      ctx.set('Content-Type', SCIM_MEDIA_TYPE)
      discardRestOfBody(ctx.req)
    }
  }
}

const isScimPath = ({ path }: Context) => path === '/scim' || path.startsWith('/scim/')
