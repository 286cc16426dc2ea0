// Finds the token of a request, and checks that the token may use the endpoint. Failures are counted by
// network, to slow down guessing; a valid token is always accepted.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import type { Ability } from '../../../../shared/tokens/token-store.ts'
import { isInNetworks } from '../../../auth/networks.ts'
import type { Token } from '../../../auth/tokens.ts'
import { findQuotaOwner } from '../../../overload/admission.ts'
import type { RateLimitResult } from '../../../overload/rate-limiter.ts'
import { createRateLimitRefusal, limitWrongGuesses } from '../../../overload/refusals.ts'
import type { PersonalUse } from '../../../reads/limits/personal-limits.ts'
import { type Context, requireToken } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

/** Finds the token and counts the request. Returns a promise only if Postgres or Redis has to be asked. */
export function identifyToken(ctx: Context, services: Services): Promise<void> | undefined {
  const secret = requireBearerSecret(ctx)
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
  const recent = isRead ? services.tokens.findRecent(secret) : undefined
  if (!recent) return lookUpToken(ctx, services, secret, !isRead)
  acceptToken(ctx, services, recent)
  return countRequest(ctx, services)
}

async function lookUpToken(ctx: Context, services: Services, secret: string, fresh: boolean): Promise<void> {
  const token = await services.tokens.find(secret, { fresh })
  if (!token) throw await refuseToken(ctx, services)
  acceptToken(ctx, services, token)
  await countRequest(ctx, services)
}

function acceptToken(ctx: Context, { tokenUse }: Services, token: Token) {
  requireAddress(ctx, token)
  ctx.state.token = token
  tokenUse.record(token.id)
}

// Checks the address before the request counts as a use of the token: a stolen secret is worthless from another
// address.
function requireAddress(ctx: Context, { addresses }: Token) {
  if (addresses === null || isInNetworks(ctx.ip, addresses)) return
  throw new Refusal('address_not_allowed', message`This token does not work from your address.`)
}

export function requireAbilities(ctx: Context, abilities: Ability[], personal?: PersonalUse) {
  const refusal = findTokenRefusal(requireToken(ctx), abilities, personal)
  if (refusal) throw refusal
}

/**
 * Returns why the token may not use an endpoint with these abilities, or undefined if it may. Personal tokens are
 * refused unless `personal` says what they see.
 */
export function findTokenRefusal(
  token: Token,
  abilities: Ability[],
  personal?: PersonalUse,
): Refusal | undefined {
  if (token.userId !== null && personal === undefined)
    return new Refusal('personal_token', NOT_FOR_PERSONAL_TOKENS)
  const missing = abilities.find((ability) => !token.abilities.includes(ability))
  if (missing === undefined) return undefined
  return new Refusal('missing_ability', message`This requires a token with the ability “${missing}”.`)
}

const NOT_FOR_PERSONAL_TOKENS = message`This is a personal token. It can view and change only its owner’s data.`

/** Returns the owner whose share the request takes, if this process already knows the request's token. */
export function findOwner(ctx: Context, { tokens }: Services): string {
  const token = tokens.findKnown(readSecret(ctx) ?? '')
  return token ? findQuotaOwner({ type: 'token', id: token.id }) : 'unknown'
}

const readSecret = ({ headers }: Context) => /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1]

function requireBearerSecret(ctx: Context): string {
  const secret = readSecret(ctx)
  if (secret !== undefined) return secret
  const detail = message`Send your API token in the header “Authorization: Bearer <API_TOKEN>”.`
  throw new Refusal('unauthenticated', detail, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

export function createInvalidTokenRefusal(): Refusal {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  const detail = message`The token is unknown, malformed, revoked or expired.`
  return new Refusal('invalid_token', detail, { headers })
}

function refuseToken({ ip }: Context, services: Services): Promise<Refusal> {
  const tooMany = message`Too many requests with invalid tokens from this address.`
  return limitWrongGuesses(services, ip, createInvalidTokenRefusal(), tooMany)
}

// Counts the request, but does not refuse it yet: a 403 takes precedence over a 429, and the headers of a 403
// also report how many requests are left.
function countRequest(ctx: Context, { rateLimiter, config }: Services): Promise<void> | undefined {
  const token = requireToken(ctx)
  const limit = token.rateLimitPerMinute ?? config.rateLimitPerMinute
  const taken = rateLimiter.take(`token:${token.id}`, limit)
  if (taken instanceof Promise) return taken.then((allowance) => setAllowanceHeaders(ctx, limit, allowance))
  setAllowanceHeaders(ctx, limit, taken)
  return undefined
}

function setAllowanceHeaders(ctx: Context, limit: number, allowance: RateLimitResult) {
  ctx.state.allowance = allowance
  ctx.res.setHeader('RateLimit-Policy', `default;q=${limit};w=60`)
  ctx.res.setHeader('RateLimit', `default;r=${allowance.remaining};t=${allowance.resetSeconds}`)
}

export function refuseOverRateLimit({ state: { allowance } }: Context) {
  if (!allowance || allowance.allowed) return
  const detail = message`This token is limited to ${allowance.limit} requests per minute.`
  throw createRateLimitRefusal(detail, allowance.resetSeconds)
}
