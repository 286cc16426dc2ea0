// What Berth stores in Koa's context during a request.
import type { ParameterizedContext } from 'koa'
import type { Refusal } from '../../../shared/messages/refusal.ts'
import type { Token } from '../../auth/tokens.ts'
import type { RateLimitResult } from '../../overload/rate-limiter.ts'
import type { RateLimit } from '../operations/metrics.ts'

export type Upload = { fileId: string; filename: string; sha256: string; fields: Record<string, unknown> }

export type State = {
  requestId: string
  /** When the request arrived, which is the current time for a write. */
  receivedMs: number
  baseUrl: string
  route?: string
  token?: Token
  /** The attempt of the last write that a page's action dispatched and that was done. */
  attempt?: string
  /** Whether the action has changed something. */
  hasWritten?: boolean
  /** The attempts of the earlier writes of the action. An undo of the last write also undoes these. */
  undoneTogether?: string[]
  adminId?: number | undefined
  upload?: Upload
  reason?: Refusal['reason']
  /** The code of the refusal in the response. */
  refused?: Refusal['code']
  allowance?: RateLimitResult
  /** The rate limit that the request exceeded, unless it is the token's rate limit. */
  overLimit?: RateLimit
}

export type Context = ParameterizedContext<State>
export type Next = () => Promise<unknown>

export type Middleware = (ctx: Context, next: Next) => Promise<unknown>

export function requireToken({ state }: Context): Token {
  if (!state.token) throw new Error('The request has not been authenticated')
  return state.token
}
