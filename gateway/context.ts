// What Berth keeps in Koa's state during a request.
import type { ParameterizedContext } from 'koa'
import type { Refusal } from '../shared/refusal.ts'
import type { Allowance } from './auth/rate-limiter.ts'
import type { Token } from './auth/tokens.ts'

/** A file that has been stored, and the fields of its form. */
export type Upload = { fileId: string; filename: string; sha256: string; fields: Record<string, unknown> }

export type State = {
  requestId: string
  /** When the request arrived: the “now” of a write. */
  receivedMs: number
  baseUrl: string
  /** The declared path, for figures and logs. */
  route?: string
  token?: Token
  /** The administrator who is signed in to the dashboard, for the log. */
  adminId?: number | undefined
  upload?: Upload
  /** Why it was refused, for the log. */
  reason?: Refusal['reason']
  /** What is left of the token's limit. */
  allowance?: Allowance
}

export type Context = ParameterizedContext<State>
export type Next = () => Promise<unknown>

/** Every middleware is a function of this form. */
export type Middleware = (ctx: Context, next: Next) => Promise<unknown>

/** Of an endpoint's request: it was let in with one. */
export function requireToken({ state }: Context): Token {
  if (!state.token) throw new Error('The request has not been authenticated')
  return state.token
}
