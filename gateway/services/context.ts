// The state that Berth keeps in Koa's context during a request.
import type { ParameterizedContext } from 'koa'
import type { Refusal } from '../../shared/messages/refusal.ts'
import type { Token } from '../auth/tokens.ts'
import type { Allowance } from '../overload/rate-limiter.ts'

/** A stored file, and the fields of its form. */
export type Upload = { fileId: string; filename: string; sha256: string; fields: Record<string, unknown> }

export type State = {
  requestId: string
  /** When the request arrived: the “now” of a write. */
  receivedMs: number
  baseUrl: string
  /** The declared path, for metrics and logs. */
  route?: string
  token?: Token
  /** The administrator who is signed in to the dashboard, for the log. */
  adminId?: number | undefined
  upload?: Upload
  /** Why the request was refused, for the log. */
  reason?: Refusal['reason']
  /** What is left of the token's rate limit. */
  allowance?: Allowance
}

export type Context = ParameterizedContext<State>
export type Next = () => Promise<unknown>

/** The type of every middleware. */
export type Middleware = (ctx: Context, next: Next) => Promise<unknown>

/** The token that an API request was authenticated with. */
export function requireToken({ state }: Context): Token {
  if (!state.token) throw new Error('The request has not been authenticated')
  return state.token
}
