// The identity provider, through which administrators may sign in: a sign-in attempt, bound to the browser that began
// it, and what the provider's claims say about the administrator. The gateway contacts it only when a user signs
// in, so that it can start while the provider is down. The library is loaded only if a provider is configured.
import type { Configuration } from 'openid-client'
import { includesRole, type Role } from '../../../shared/administrators/roles.ts'
import type { ProviderSettings } from '../../../shared/settings/sign-in.ts'
import { isEmail } from '../../../shared/utilities/texts.ts'
import { FairLimit } from '../../overload/fair-limit.ts'
import type { Context } from '../../server/services/context.ts'
import { COOKIES, readCookie, setCookie } from './cookies.ts'
import { ProviderFailure, toProviderFailure } from './failure.ts'
import { createSecret, deriveSecret, isSecret } from './secrets.ts'

export type Claims = { sub: string } & Record<string, unknown>

export type Identity = {
  subject: string
  email: string | undefined
  isEmailVerified: boolean
  /** Undefined if no value gives a role. */
  role: Role | undefined
  /** Whether the provider sent a role claim at all. */
  hasRoleClaim: boolean
}

const EMAIL_LENGTH_MAX = 255

export function readIdentity(
  claims: Claims,
  { roleClaim, roles }: Pick<ProviderSettings, 'roleClaim' | 'roles'>,
): Identity {
  const { sub, email } = claims
  const isUsable = typeof email === 'string' && email.length <= EMAIL_LENGTH_MAX && isEmail(email)
  const said = findClaim(claims, roleClaim)
  const values = [said ?? []].flat()
  const given = roles.filter(({ value }) => values.includes(value)).map(({ role }) => role)
  return {
    subject: sub,
    email: isUsable ? email : undefined,
    // Neither the text “true” nor a missing claim counts.
    isEmailVerified: claims['email_verified'] === true,
    role: given.reduce<Role | undefined>(
      (best, role) => (best !== undefined && includesRole(best, role) ? best : role),
      undefined,
    ),
    hasRoleClaim: said !== undefined,
  }
}

/**
 * Claims of the ID token win over those of the userinfo answer. `email_verified` refers to the e-mail next to
 * it, so the two always come from the same source.
 */
function mergeClaims(token: Claims, userinfo: Record<string, unknown>): Claims {
  const { email, email_verified } = 'email' in token ? token : userinfo
  return { ...userinfo, ...token, email, email_verified }
}

// The name may contain dots (https://example.com/roles), or be a path to a nested claim (realm_access.roles).
function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let found: unknown = claims
  for (const part of name.split('.')) {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, part)
    found = isThere ? (found as Record<string, unknown>)[part] : undefined
  }
  return found
}

const TIMEOUT_SECONDS = 5
// Afterwards the provider's addresses, which hardly ever change, are fetched again.
const DISCOVERED_FOR_MS = 3_600_000
// A limit, because made-up answers cause requests to the provider too.
const AT_ONCE_MAX = 10
const WAIT_MS = 5_000

/** What the browser brought back. */
export type ProviderAnswer = Record<string, string>

type Discovered = { configuration: Promise<Configuration>; untilMs: number }

export class IdentityProvider {
  readonly issuer: string
  /** The name that users know it by. */
  readonly label: string
  readonly #settings: ProviderSettings
  readonly #now: () => number
  readonly #limit = new FairLimit({ max: () => AT_ONCE_MAX })
  #discovered: Discovered | undefined

  constructor(settings: ProviderSettings, now: () => number) {
    this.issuer = settings.issuer
    this.label = settings.label
    this.#settings = settings
    this.#now = now
  }

  /** Where the browser goes to sign in. From there it returns to `returnTo`. */
  signInAddress(attempt: Attempt, returnTo: string): Promise<string> {
    return this.#ask(async (client, configuration) => {
      const parameters = {
        redirect_uri: returnTo,
        scope: this.#settings.scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      }
      return this.#safe(client.buildAuthorizationUrl(configuration, parameters))
    })
  }

  /** Exchanges the code for the identity, after checking everything about it. */
  redeem(attempt: Attempt, returnTo: string, answer: ProviderAnswer): Promise<Identity> {
    return this.#ask(async (client, configuration) => {
      const address = new URL(returnTo)
      for (const [name, value] of Object.entries(answer)) address.searchParams.set(name, value)
      const tokens = await client.authorizationCodeGrant(configuration, address, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims() as Claims
      const identity = readIdentity(claims, this.#settings)
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
      if (!hasMore || (identity.email !== undefined && identity.hasRoleClaim)) return identity
      // Many providers return there what the token lacks.
      const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return readIdentity(mergeClaims(claims, more), this.#settings)
    })
  }

  /** Where signing out continues; undefined if the provider has no such page. */
  signOutAddress(returnTo: string): Promise<string | undefined> {
    return this.#ask(async (client, configuration) => {
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
      return this.#safe(client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }))
    })
  }

  async #ask<Result>(
    work: (client: typeof import('openid-client'), configuration: Configuration) => Promise<Result>,
  ): Promise<Result> {
    const release = await this.#limit.take({ waitMs: WAIT_MS })
    if (!release) throw new ProviderFailure('away', 'too many at once')
    try {
      const client = await import('openid-client')
      return await work(client, await this.#configuration(client))
    } catch (error) {
      throw toProviderFailure(error)
    } finally {
      release()
    }
  }

  // Simultaneous callers share one request. A failed one is not cached.
  #configuration(client: typeof import('openid-client')): Promise<Configuration> {
    const nowMs = this.#now()
    if (this.#discovered && this.#discovered.untilMs > nowMs) return this.#discovered.configuration
    const { issuer, clientId, clientSecret } = this.#settings
    const execute = [client.enableNonRepudiationChecks]
    if (this.#isPlain) execute.push(client.allowInsecureRequests)
    const configuration = client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: TIMEOUT_SECONDS,
      execute,
    })
    const discovered = { configuration, untilMs: nowMs + DISCOVERED_FOR_MS }
    this.#discovered = discovered
    configuration.catch(() => {
      if (this.#discovered === discovered) this.#discovered = undefined
    })
    return configuration
  }

  // A provider on this machine, for trying it out.
  get #isPlain(): boolean {
    return this.issuer.startsWith('http:')
  }

  #safe(address: URL): string {
    if (address.protocol === 'https:' || (this.#isPlain && address.protocol === 'http:')) return address.href
    throw new ProviderFailure('invalid', `an address of its own begins with ${address.protocol}`)
  }
}

const LIFETIME_SECONDS = 10 * 60
// A cookie is limited to 4 KiB.
const NEXT_LENGTH_MAX = 1_000

export type Attempt = {
  secret: string
  /** The requested page, relative to the dashboard. */
  next: string
  state: string
  nonce: string
  /** For PKCE: the provider accepts the code only with this verifier. */
  verifier: string
}

export function createAttempt(next: string): Attempt {
  return attemptOf(createSecret(), next.length > NEXT_LENGTH_MAX ? '/' : next)
}

export function storeAttempt(ctx: Context, { secret, next }: Attempt, root: string) {
  const value = `${secret}.${Buffer.from(next).toString('base64url')}`
  setCookie(ctx, COOKIES.signInAttempt, value, { root, seconds: LIFETIME_SECONDS })
}

/** Reads the attempt and deletes it: each is valid for one answer. */
export function takeAttempt(ctx: Context, root: string): Attempt | undefined {
  const cookie = readCookie(ctx, COOKIES.signInAttempt)
  if (cookie === undefined) return undefined
  setCookie(ctx, COOKIES.signInAttempt, '', { root, seconds: 0 })
  const [secret, next = ''] = cookie.split('.')
  return isSecret(secret) ? attemptOf(secret, Buffer.from(next, 'base64url').toString()) : undefined
}

function attemptOf(secret: string, next: string): Attempt {
  const derive = (purpose: string) => deriveSecret({ secret }, `sign-in ${purpose}`).toString('base64url')
  return { secret, next, state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}
