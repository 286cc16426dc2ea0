// How administrators sign in: with passwords, through an OpenID Connect provider, or both.
import { isRole, ROLES, type Role } from '../administrators/roles.ts'
import { isLoopback } from '../utilities/private-networks.ts'
import type { EnvironmentReader } from './environment.ts'

export type ProviderSettings = NonNullable<ReturnType<typeof readProvider>>

const REQUIRED_SETTINGS = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLES'] as const

export function readSignIn(read: EnvironmentReader) {
  const isLocal = read.flag('LOCAL_SIGN_IN', true)
  const provider = readProvider(read)
  if (!isLocal && !provider)
    return read.problem('LOCAL_SIGN_IN is false and OIDC_ISSUER is not set: nobody could sign in.', {
      provider,
      isLocal: true,
    })
  if (!isLocal && !provider?.roles.some(({ role }) => role === 'owner'))
    read.problem('LOCAL_SIGN_IN is false and OIDC_ROLES makes nobody an owner.', undefined)
  /** Whether administrators may sign in with passwords, and through which provider, if any. */
  return { isLocal, provider }
}

function readProvider(read: EnvironmentReader) {
  const issuer = read.url('OIDC_ISSUER', ['http:', 'https:'])
  if (!issuer) return undefined
  const { protocol, hostname } = new URL(issuer)
  if (protocol === 'http:' && !isLoopback(hostname))
    read.problem('OIDC_ISSUER must start with https://; http:// is for this machine only.', undefined)
  for (const name of REQUIRED_SETTINGS)
    if (!read.text(name, '')) read.problem(`${name} is not set, and OIDC_ISSUER is.`, undefined)
  const scopes = read.text('OIDC_SCOPES', 'openid email')
  if (!scopes.split(/\s+/).includes('openid'))
    read.problem(`OIDC_SCOPES must have “openid”, not only “${scopes}”.`, undefined)
  return {
    // Normalized, because the issuer is part of the identity by which Berth recognizes administrators.
    issuer: new URL(issuer).href,
    clientId: read.text('OIDC_CLIENT_ID', ''),
    clientSecret: read.text('OIDC_CLIENT_SECRET', ''),
    scopes,
    /** The name of the OpenID Connect claim that contains a person's roles, as a text or a list of texts. */
    roleClaim: read.text('OIDC_ROLE_CLAIM', 'groups'),
    /** Maps each value of that claim to a role in Berth. */
    roles: readRoles(read),
    /** The name of the identity provider as pages show it. */
    label: read.text('OIDC_LABEL', 'single sign-on'),
  }
}

// Reads pairs of a value and a role. The last “=” separates them, because a value may contain “=” but a role cannot.
function readRoles(read: EnvironmentReader): Array<{ value: string; role: Role }> {
  const pairs = read.text('OIDC_ROLES', '').split(',')
  return pairs.flatMap((text) => {
    const pair = text.trim()
    if (pair === '') return []
    const at = pair.lastIndexOf('=')
    const [value, role] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()]
    if (value && isRole(role)) return [{ value, role }]
    const roles = ROLES.toReversed().join(', ')
    const sentence = `OIDC_ROLES must have pairs like berth-owners=owner, not “${pair}”. Roles: ${roles}.`
    return read.problem(sentence, [])
  })
}
