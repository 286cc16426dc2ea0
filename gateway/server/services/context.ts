// The state that Berth keeps in Koa's context during a request.
import type { ParameterizedContext } from 'koa'
import type { Refusal } from '../../../shared/messages/refusal.ts'
import type { Token } from '../../auth/tokens.ts'
import type { Allowance } from '../../overload/rate-limiter.ts'
import type { RateLimit } from '../operations/metrics.ts'

export type Upload = { fileId: string; filename: string; sha256: string; fields: Record<string, unknown> }

export type State = {
  requestId: string
  /** When the request arrived: the “now” of a write. */
  receivedMs: number
  baseUrl: string
  route?: string
  token?: Token
  /** The attempt of the last write that an action of a page dispatched. */
  attempt?: string
  /** Whether the action has changed something. */
  hasWritten?: boolean
  /** The attempts of earlier writes of the action that are undone together with the last one. */
  undoneTogether?: string[]
  adminId?: number | undefined
  upload?: Upload
  reason?: Refusal['reason']
  /** The code of the refusal that was answered. */
  refused?: Refusal['code']
  allowance?: Allowance
  /** The rate limit that the request exceeded, if it is not that of a token. */
  overLimit?: RateLimit
}

export type Context = ParameterizedContext<State>
export type Next = () => Promise<unknown>

export type Middleware = (ctx: Context, next: Next) => Promise<unknown>

export function requireToken({ state }: Context): Token {
  if (!state.token) throw new Error('The request has not been authenticated')
  return state.token
}
