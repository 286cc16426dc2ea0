// Finds the token of a request, and checks that it may use the endpoint. Failures are counted by address, so
// that guessing gets slow; a valid token always passes.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import type { Ability } from '../../../../shared/tokens/token-store.ts'
import { isInNetworks } from '../../../auth/networks.ts'
import type { Token } from '../../../auth/tokens.ts'
import { ownerOf } from '../../../overload/admission.ts'
import type { Allowance } from '../../../overload/rate-limiter.ts'
import { rateLimited, refuseWrongGuess } from '../../../overload/refusals.ts'
import type { PersonalUse } from '../../../reads/limits/personal-limits.ts'
import { type Context, requireToken } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

/** Finds the token and counts the request. Returns a promise only if Postgres or Redis must be asked. */
export function identify(ctx: Context, services: Services): Promise<void> | undefined {
  const secret = bearerToken(ctx)
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
  const recent = isRead ? services.tokens.findRecent(secret) : undefined
  if (!recent) return lookUp(ctx, services, secret, !isRead)
  accept(ctx, services, recent)
  return countRequest(ctx, services)
}

async function lookUp(ctx: Context, services: Services, secret: string, fresh: boolean): Promise<void> {
  const token = await services.tokens.find(secret, { fresh })
  if (!token) throw await refuseToken(ctx, services)
  accept(ctx, services, token)
  await countRequest(ctx, services)
}

function accept(ctx: Context, { tokenUse }: Services, token: Token) {
  requireAddress(ctx, token)
  ctx.state.token = token
  tokenUse.record(token.id)
}

// Checked before the request counts as a use: a stolen secret is worthless from another address.
function requireAddress(ctx: Context, { addresses }: Token) {
  if (addresses === null || isInNetworks(ctx.ip, addresses)) return
  throw new Refusal('address_not_allowed', message`This token does not work from your address.`)
}

export function requireAbilities(ctx: Context, abilities: Ability[], personal?: PersonalUse) {
  const refusal = refuseToUse(requireToken(ctx), abilities, personal)
  if (refusal) throw refusal
}

/**
 * Why the token may not use an endpoint that requires these abilities; undefined if it may. Personal tokens are refused
 * wherever `personal` does not say what they see.
 */
export function refuseToUse(token: Token, abilities: Ability[], personal?: PersonalUse): Refusal | undefined {
  if (token.userId !== null && personal === undefined) return new Refusal('personal_token', NOT_PERSONAL)
  const missing = abilities.find((ability) => !token.abilities.includes(ability))
  if (missing === undefined) return undefined
  return new Refusal('missing_ability', message`This requires a token with the ability “${missing}”.`)
}

const NOT_PERSONAL = message`This token belongs to a person. Personal tokens only see and change what is that person’s own.`

/** The owner whose share a request takes, if this process already knows its token. */
export function findOwner(ctx: Context, { tokens }: Services): string {
  const token = tokens.findKnown(readSecret(ctx) ?? '')
  return token ? ownerOf({ type: 'token', id: token.id }) : 'unknown'
}

const readSecret = ({ headers }: Context) => /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1]

function bearerToken(ctx: Context): string {
  const secret = readSecret(ctx)
  if (secret !== undefined) return secret
  const detail = message`Send your API token in the header “Authorization: Bearer <API_TOKEN>”.`
  throw new Refusal('unauthenticated', detail, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

function refuseToken({ ip }: Context, services: Services): Promise<Refusal> {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  const detail = message`The token is unknown, malformed, revoked or expired.`
  const tooMany = message`Too many requests with invalid tokens from this address.`
  return refuseWrongGuess(services, ip, new Refusal('invalid_token', detail, { headers }), tooMany)
}

// A 403 reports in headers how many requests are left too, and comes before the 429, so counting and refusing
// are two steps.
function countRequest(ctx: Context, { rateLimiter, config }: Services): Promise<void> | undefined {
  const token = requireToken(ctx)
  const limit = token.rateLimitPerMinute ?? config.rateLimitPerMinute
  const taken = rateLimiter.take(`token:${token.id}`, limit)
  if (taken instanceof Promise) return taken.then((allowance) => showAllowance(ctx, limit, allowance))
  showAllowance(ctx, limit, taken)
  return undefined
}

function showAllowance(ctx: Context, limit: number, allowance: Allowance) {
  ctx.state.allowance = allowance
  ctx.res.setHeader('RateLimit-Policy', `default;q=${limit};w=60`)
  ctx.res.setHeader('RateLimit', `default;r=${allowance.remaining};t=${allowance.resetSeconds}`)
}

export function refuseExcess({ state: { allowance } }: Context) {
  if (!allowance || allowance.allowed) return
  const detail = message`This token is limited to ${allowance.limit} requests per minute.`
  throw rateLimited(detail, allowance.resetSeconds)
}
