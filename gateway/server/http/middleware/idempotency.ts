// Reads the Idempotency-Key of a write: whose key it is, and what “the same request” means.
import { createHash } from 'node:crypto'
import type { Idempotency } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { type Context, requireToken } from '../../services/context.ts'

const HEADER = 'Idempotency-Key'

export function readIdempotency(ctx: Context, params: unknown, input: unknown): Idempotency | null {
  const key = readIdempotencyKey(ctx)
  if (key === undefined) return null
  const scope = scopeOf(ctx, `token:${requireToken(ctx).id}`, params)
  return { scope, key, fingerprint: fingerprintOf(input) }
}

/** `params` are validated: the same path may be written in several ways, as with a trailing slash. */
export function scopeOf({ method, state: { route } }: Context, owner: string, params: unknown): string {
  if (route === undefined) throw new Error('A request without a route has no scope')
  const values = params as Record<string, unknown>
  const path = route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  return `${owner} ${method} ${path}`
}

/** Bare, or as a quoted string of structured fields. */
function readIdempotencyKey(ctx: Context): string | undefined {
  const header = ctx.get(HEADER)
  if (ctx.headers['idempotency-key'] === undefined) return undefined
  const [, quoted] = /^"(.*)"$/.exec(header) ?? []
  const key = quoted ?? header
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw invalid({ [HEADER]: [message`${HEADER} must be 1 to 255 visible ASCII characters.`] })
}

/** The same for the same input, whatever the order of its members. */
export function fingerprintOf(input: unknown): string {
  return createHash('sha256').update(canonical(input)).digest('hex')
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (member === null || typeof member !== 'object' || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
