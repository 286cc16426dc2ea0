// Administrators as the provider knows them. Workers write them (admins.sign-in); this file reads them.
import type pg from 'pg'
import type { Role } from '../../../../shared/administrators/roles.ts'

type KnownIdentity = { adminId: number; role: Role; isDisabled: boolean }

export async function findIdentity(
  primary: pg.Pool,
  issuer: string,
  subject: string,
): Promise<KnownIdentity | undefined> {
  const { rows } = await primary.query<KnownIdentity>(
    `SELECT admins.id AS "adminId", admins.role, admins.disabled_at IS NOT NULL AS "isDisabled"
     FROM admin_identities JOIN admins ON admins.id = admin_identities.admin_id
     WHERE issuer = $1 AND subject = $2`,
    [issuer, subject],
  )
  return rows[0]
}

/** Once an administrator has signed in through the provider, their password no longer works. */
export const isLinked = (issuer: string) =>
  `EXISTS (SELECT FROM admin_identities WHERE admin_id = admins.id AND issuer = ${issuer})`

export async function findIsLinked(primary: pg.Pool, issuer: string, adminId: number): Promise<boolean> {
  const { rows } = await primary.query<{ linked: boolean }>(
    `SELECT ${isLinked('$2')} AS linked FROM admins WHERE id = $1`,
    [adminId, issuer],
  )
  return rows[0]?.linked ?? false
}
