// The identity provider, through which administrators and people may sign in: a sign-in attempt, which is
// bound to the browser that began it, and what the provider's claims say about the user. The gateway contacts
// the provider only when a user signs in, so that it can start while the provider is down. The library is
// loaded only if a provider is configured.
import type { Configuration } from 'openid-client'
import { includesRole, type Role } from '../../../shared/administrators/roles.ts'
import { isPictureAddress } from '../../../shared/people/pictures.ts'
import type { ProviderSettings } from '../../../shared/settings/sign-in.ts'
import { isEmail } from '../../../shared/utilities/texts.ts'
import { FairLimit } from '../../overload/fair-limit.ts'
import type { Context } from '../../server/services/context.ts'
import { COOKIE_NAMES, readCookie, setCookie } from './cookies.ts'
import { ProviderFailure, toProviderFailure } from './failure.ts'
import { createSecret, deriveSecret, isSecret } from './secrets.ts'

export type IdentityClaims = { sub: string } & Record<string, unknown>

export type Identity = {
  subject: string
  email: string | undefined
  isEmailVerified: boolean
  /** The role that the claim gives; undefined if none of the claim's values is a known role. */
  role: Role | undefined
  /** Whether the provider sent a role claim at all. */
  hasRoleClaim: boolean
  /** Where the person's picture is. */
  picture: string | undefined
}

const EMAIL_LENGTH_MAX = 255

export function readIdentity(
  claims: IdentityClaims,
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
    // Neither the text “true” nor a missing claim counts as verified.
    isEmailVerified: claims['email_verified'] === true,
    role: given.reduce<Role | undefined>(
      (best, role) => (best !== undefined && includesRole(best, role) ? best : role),
      undefined,
    ),
    hasRoleClaim: said !== undefined,
    picture: isPictureAddress(claims['picture']) ? claims['picture'] : undefined,
  }
}

/** Merges the claims of the ID token and of the userinfo response, where the token's claims take precedence.
 * `email_verified` refers to the e-mail in the same source, so both always come from one source. */
function mergeClaims(token: IdentityClaims, userinfo: Record<string, unknown>): IdentityClaims {
  const { email, email_verified } = 'email' in token ? token : userinfo
  return { ...userinfo, ...token, email, email_verified }
}

// Finds a claim. Its name may contain dots (https://example.com/roles), or be a path to a nested claim
// (realm_access.roles).
function findClaim(claims: IdentityClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let found: unknown = claims
  for (const part of name.split('.')) {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, part)
    found = isThere ? (found as Record<string, unknown>)[part] : undefined
  }
  return found
}

const PROVIDER_TIMEOUT_SECONDS = 5
// How long the provider's addresses are cached. The addresses hardly ever change.
const DISCOVERY_CACHE_MS = 3_600_000
// The maximum number of concurrent requests to the provider. It is limited because anybody can cause requests
// with forged responses.
const CONCURRENT_REQUESTS_MAX = 10
const REQUEST_WAIT_MS = 5_000

/** The parameters with which the browser returns from the provider. */
export type ProviderAnswer = Record<string, string>

type DiscoveredProvider = { configuration: Promise<Configuration>; untilMs: number }

export class IdentityProvider {
  readonly issuer: string
  /** The provider's name, as shown to users. */
  readonly label: string
  readonly #settings: ProviderSettings
  readonly #now: () => number
  readonly #limit = new FairLimit({ max: () => CONCURRENT_REQUESTS_MAX })
  #discovered: DiscoveredProvider | undefined

  constructor(settings: ProviderSettings, now: () => number) {
    this.issuer = settings.issuer
    this.label = settings.label
    this.#settings = settings
    this.#now = now
  }

  /** Returns the address at the provider where the browser signs in, and from which it returns to `returnTo`. */
  signInAddress(attempt: SignInAttempt, returnTo: string): Promise<string> {
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

  /** Exchanges the code for the identity, after checking everything in the response. */
  redeem(attempt: SignInAttempt, returnTo: string, answer: ProviderAnswer): Promise<Identity> {
    return this.#ask(async (client, configuration) => {
      const address = new URL(returnTo)
      for (const [name, value] of Object.entries(answer)) address.searchParams.set(name, value)
      const tokens = await client.authorizationCodeGrant(configuration, address, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims() as IdentityClaims
      const identity = readIdentity(claims, this.#settings)
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
      // Only a request for the profile gets a picture.
      const hasPicture = identity.picture !== undefined || !this.#settings.scopes.includes('profile')
      if (!hasMore || (identity.email !== undefined && identity.hasRoleClaim && hasPicture)) return identity
      // Many providers return claims that the token lacks in the userinfo response.
      const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return readIdentity(mergeClaims(claims, more), this.#settings)
    })
  }

  /** Returns the address where signing out continues, or undefined if the provider has no such page. */
  signOutAddress(returnTo: string): Promise<string | undefined> {
    return this.#ask(async (client, configuration) => {
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
      return this.#safe(client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }))
    })
  }

  async #ask<Result>(
    work: (client: typeof import('openid-client'), configuration: Configuration) => Promise<Result>,
  ): Promise<Result> {
    const release = await this.#limit.take({ waitMs: REQUEST_WAIT_MS })
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

  // Returns the provider's configuration. Concurrent callers share one request. A failed request is not cached.
  #configuration(client: typeof import('openid-client')): Promise<Configuration> {
    const nowMs = this.#now()
    if (this.#discovered && this.#discovered.untilMs > nowMs) return this.#discovered.configuration
    const { issuer, clientId, clientSecret } = this.#settings
    const execute = [client.enableNonRepudiationChecks]
    if (this.#isPlain) execute.push(client.allowInsecureRequests)
    const configuration = client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: PROVIDER_TIMEOUT_SECONDS,
      execute,
    })
    const discovered = { configuration, untilMs: nowMs + DISCOVERY_CACHE_MS }
    this.#discovered = discovered
    configuration.catch(() => {
      if (this.#discovered === discovered) this.#discovered = undefined
    })
    return configuration
  }

  // Returns whether the provider uses plain HTTP, which is allowed for trying out a provider on this machine.
  get #isPlain(): boolean {
    return this.issuer.startsWith('http:')
  }

  #safe(address: URL): string {
    if (address.protocol === 'https:' || (this.#isPlain && address.protocol === 'http:')) return address.href
    throw new ProviderFailure('invalid', `an address of its own begins with ${address.protocol}`)
  }
}

const ATTEMPT_LIFETIME_SECONDS = 10 * 60
// The maximum length of the requested page's address, because a cookie is limited to 4 KiB.
const REQUESTED_PATH_LENGTH_MAX = 1_000

export type SignInAttempt = {
  secret: string
  /** The path of the page that the user requested, relative to the dashboard. */
  next: string
  state: string
  nonce: string
  /** The verifier for PKCE. The provider accepts the code only together with it. */
  verifier: string
}

export function createSignInAttempt(next: string): SignInAttempt {
  return deriveAttempt(createSecret(), next.length > REQUESTED_PATH_LENGTH_MAX ? '/' : next)
}

export function storeSignInAttempt(ctx: Context, { secret, next }: SignInAttempt, root: string) {
  const value = `${secret}.${Buffer.from(next).toString('base64url')}`
  setCookie(ctx, COOKIE_NAMES.signInAttempt, value, { root, seconds: ATTEMPT_LIFETIME_SECONDS })
}

/** Reads the sign-in attempt and deletes it, because each attempt is valid for one response. */
export function readAndDeleteSignInAttempt(ctx: Context, root: string): SignInAttempt | undefined {
  const cookie = readCookie(ctx, COOKIE_NAMES.signInAttempt)
  if (cookie === undefined) return undefined
  setCookie(ctx, COOKIE_NAMES.signInAttempt, '', { root, seconds: 0 })
  const [secret, next = ''] = cookie.split('.')
  return isSecret(secret) ? deriveAttempt(secret, Buffer.from(next, 'base64url').toString()) : undefined
}

function deriveAttempt(secret: string, next: string): SignInAttempt {
  const derive = (purpose: string) => deriveSecret({ secret }, `sign-in ${purpose}`).toString('base64url')
  return { secret, next, state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}
