// Reads the claims of a provider: an account's id there, its e-mail address, and its role here.
import { includesRole, type Role } from '../../../../shared/administrators/roles.ts'
import type { ProviderSettings } from '../../../../shared/settings/sign-in.ts'
import { isEmail } from '../../../../shared/utilities/texts.ts'

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
export function mergeClaims(token: Claims, userinfo: Record<string, unknown>): Claims {
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
