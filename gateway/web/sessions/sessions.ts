// Sessions of administrators. Only the SHA-256 of the cookie is stored, and each request looks up its session
// on the primary. So signing out, disabling an administrator and changing a password take effect at once, and
// work while Redis is down.
import type pg from 'pg'
import type { Role } from '../../../shared/administrators/roles.ts'
import { hashSecret } from './secrets.ts'

export type SignedInAdmin = { id: number; email: string; role: Role }

/** A person who has signed in to their own pages. */
export type SignedInPerson = { id: number; name: string; email: string }

/** Who views a page: an administrator, a person on their own pages, or a visitor who is not signed in yet. */
export type Viewer = {
  /**
   * The value of the cookie, which only this browser knows. Everything that proves the origin of a request is
   * derived from it.
   */
  secret: string
  admin?: SignedInAdmin | undefined
  person?: SignedInPerson | undefined
}

export type SessionRow = {
  hash: Buffer
  createdAt: string
  lastUsedAt: string
  address: string | null
  userAgent: string | null
}

export type Device = {
  address: string
  userAgent: string
  /** The cookie of a browser in which an administrator has signed in before. */
  knownBrowser: string | undefined
}

export const SESSION_SECONDS_MAX = 7 * 24 * 3600
const PROVIDER_SESSION_SECONDS_MAX = 12 * 3600
const USER_AGENT_LENGTH_MAX = 500
const IS_LINKED_SQL =
  'EXISTS (SELECT FROM admin_identities WHERE admin_id = admins.id AND issuer = $5 AND subject = $6)'
// The condition of every statement that checks whether a session is valid.
const IS_VALID_SQL = `sessions.expires_at > now() AND sessions.last_used_at > now() - interval '12 hours'`

export async function findSignedInAdmin(
  primary: pg.Pool,
  secret: string,
): Promise<SignedInAdmin | undefined> {
  const hash = hashSecret(secret)
  const { rows } = await primary.query<SignedInAdmin & { stale: boolean }>({
    name: 'find-session',
    text: `
      SELECT admins.id, admins.email, admins.role, sessions.last_used_at < now() - interval '1 minute' AS stale
      FROM sessions JOIN admins ON admins.id = sessions.admin_id
      WHERE sessions.hash = $1 AND ${IS_VALID_SQL} AND admins.disabled_at IS NULL`,
    values: [hash],
  })
  const [row] = rows
  if (!row) return undefined
  if (row.stale) await primary.query('UPDATE sessions SET last_used_at = now() WHERE hash = $1', [hash])
  return { id: row.id, email: row.email, role: row.role }
}

/** Replaces characters of the User-Agent header that Postgres cannot store. */
export const cleanUserAgent = (text: string) => text.replace(/\p{Cc}/gu, ' ').slice(0, USER_AGENT_LENGTH_MAX)

type CheckedAccount = { id: number; passwordHash: string }
type CheckedIdentity = { id: number; issuer: string; subject: string }

/** Begins a session. Returns false if the password was changed, the identity was unlinked or the
 * administrator was disabled after the check. The lock makes this statement and a concurrent change of the
 * password wait for each other. Otherwise a session that neither of them sees could outlive the change. */
export async function beginSession(
  primary: pg.Pool,
  secret: string,
  account: CheckedAccount | CheckedIdentity,
  { address, userAgent }: Pick<Device, 'address' | 'userAgent'>,
): Promise<boolean> {
  // Sessions are shorter after a sign-in through the provider, because the role is requested only when the
  // session begins.
  const [seconds, condition, ...values] =
    'passwordHash' in account
      ? [SESSION_SECONDS_MAX, 'password_hash = $5', account.passwordHash]
      : [PROVIDER_SESSION_SECONDS_MAX, IS_LINKED_SQL, account.issuer, account.subject]
  const { rowCount } = await primary.query(
    `INSERT INTO sessions (hash, admin_id, expires_at, address, user_agent)
     SELECT $1, id, now() + make_interval(secs => ${seconds}), $2, $3
     FROM admins WHERE id = $4 AND ${condition} AND disabled_at IS NULL FOR SHARE`,
    [hashSecret(secret), address, cleanUserAgent(userAgent), account.id, ...values],
  )
  return rowCount === 1
}

export async function endSession(primary: pg.Pool, secret: string): Promise<void> {
  await primary.query('DELETE FROM sessions WHERE hash = $1', [hashSecret(secret)])
}

/** Ends all sessions of an administrator except `exceptSession`. */
export async function endSessions(
  connection: pg.Pool | pg.PoolClient,
  adminId: number,
  exceptSession?: string,
): Promise<number> {
  const { rowCount } = await connection.query('DELETE FROM sessions WHERE admin_id = $1 AND hash <> $2', [
    adminId,
    exceptSession === undefined ? Buffer.alloc(0) : hashSecret(exceptSession),
  ])
  return rowCount ?? 0
}

export async function listSessions(primary: pg.Pool, adminId: number): Promise<SessionRow[]> {
  const { rows } = await primary.query<SessionRow>(
    `SELECT hash, created_at AS "createdAt", last_used_at AS "lastUsedAt", address, user_agent AS "userAgent"
     FROM sessions WHERE admin_id = $1 AND ${IS_VALID_SQL} ORDER BY last_used_at DESC, created_at DESC`,
    [adminId],
  )
  return rows
}

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

/** SQL that tells whether the administrator has signed in through the provider. If so, their password no
 * longer works. */
export const isLinked = (issuer: string) =>
  `EXISTS (SELECT FROM admin_identities WHERE admin_id = admins.id AND issuer = ${issuer})`

export async function isAdminLinked(primary: pg.Pool, issuer: string, adminId: number): Promise<boolean> {
  const { rows } = await primary.query<{ linked: boolean }>(
    `SELECT ${isLinked('$2')} AS linked FROM admins WHERE id = $1`,
    [adminId, issuer],
  )
  return rows[0]?.linked ?? false
}
