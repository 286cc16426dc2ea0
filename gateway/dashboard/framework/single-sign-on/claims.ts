// What a provider says of somebody: who they are there, their e-mail address, and what they may do here.
import { includesRole, type Role } from '../../../../shared/contracts/administrators/roles.ts'
import type { ProviderSettings } from '../../../../shared/settings/sign-in.ts'
import { isEmail } from '../../../../shared/texts.ts'

export type Claims = { sub: string } & Record<string, unknown>

export type Identity = {
  subject: string
  email: string | undefined
  isEmailVerified: boolean
  /** Undefined where none of the values gives one. */
  role: Role | undefined
  /** Whether the provider said anything at all of what they may do. */
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
    // Not “true” as a text, and not where nothing is said.
    isEmailVerified: claims['email_verified'] === true,
    role: given.reduce<Role | undefined>(
      (best, role) => (best !== undefined && includesRole(best, role) ? best : role),
      undefined,
    ),
    hasRoleClaim: said !== undefined,
  }
}

/**
 * Of the ID token and the userinfo answer the token counts. `email_verified` speaks of the e-mail beside it: it never comes from
 * one of them for an e-mail of the other.
 */
export function mergeClaims(token: Claims, userinfo: Record<string, unknown>): Claims {
  const { email, email_verified } = 'email' in token ? token : userinfo
  return { ...userinfo, ...token, email, email_verified }
}

// Its name may have dots (https://example.com/roles), and may be a path to what lies inside (realm_access.roles).
function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let found: unknown = claims
  for (const part of name.split('.')) {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, part)
    found = isThere ? (found as Record<string, unknown>)[part] : undefined
  }
  return found
}
