// Reads the Idempotency-Key of a write, and defines the key's scope and which requests count as the same.
import { createHash } from 'node:crypto'
import type { Idempotency } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { type Context, requireToken } from '../../services/context.ts'

const IDEMPOTENCY_HEADER = 'Idempotency-Key'

export function readIdempotency(ctx: Context, params: unknown, input: unknown): Idempotency | null {
  const key = readIdempotencyKey(ctx)
  if (key === undefined) return null
  const scope = formatScope(ctx, `token:${requireToken(ctx).id}`, params)
  return { scope, key, fingerprint: computeFingerprint(input) }
}

/**
 * Returns the scope of an idempotency key. Uses the validated `params`, because the same path may be written in several
 * ways, for example with a trailing slash.
 */
export function formatScope({ method, state: { route } }: Context, owner: string, params: unknown): string {
  if (route === undefined) throw new Error('A request without a route has no scope')
  const values = params as Record<string, unknown>
  const path = route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  return `${owner} ${method} ${path}`
}

/** Reads the idempotency key. It may be bare or a quoted string, as in structured fields. */
function readIdempotencyKey(ctx: Context): string | undefined {
  const header = ctx.get(IDEMPOTENCY_HEADER)
  if (ctx.headers['idempotency-key'] === undefined) return undefined
  const [, quoted] = /^"(.*)"$/.exec(header) ?? []
  const key = quoted ?? header
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw invalidFields({
    [IDEMPOTENCY_HEADER]: [message`${IDEMPOTENCY_HEADER} must be 1 to 255 visible ASCII characters.`],
  })
}

/** Returns the same fingerprint for the same input, regardless of the order of its members. */
export function computeFingerprint(input: unknown): string {
  return createHash('sha256').update(toCanonical(input)).digest('hex')
}

function toCanonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (member === null || typeof member !== 'object' || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
