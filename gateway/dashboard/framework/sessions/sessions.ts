// Sessions of administrators. Only the SHA-256 of a cookie is stored, and each request looks its session up on the
// primary: signing out, a disabled administrator and a changed password work at once, and while Redis is away.
import type pg from 'pg'
import type { Role } from '../../../../shared/contracts/administrators/roles.ts'
import { hashSecret } from './secrets.ts'

export type Admin = { id: number; email: string; role: Role }

/** Whoever looks at a page: an administrator, or somebody who has not signed in yet. */
export type Viewer = {
  /** What only this browser knows: its cookie. All that proves where something comes from is derived from it. */
  secret: string
  admin: Admin | undefined
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
  /** The cookie of a browser in which somebody has signed in before. */
  knownBrowser: string | undefined
}

export const SESSION_SECONDS_MAX = 7 * 24 * 3600
const PROVIDED_SESSION_SECONDS_MAX = 12 * 3600
const USER_AGENT_LENGTH_MAX = 500
// The same in every statement that asks whether a session still counts.
const IS_VALID = `sessions.expires_at > now() AND sessions.last_used_at > now() - interval '12 hours'`

export async function findAdmin(primary: pg.Pool, secret: string): Promise<Admin | undefined> {
  const hash = hashSecret(secret)
  const { rows } = await primary.query<Admin & { stale: boolean }>({
    name: 'find-session',
    text: `
      SELECT admins.id, admins.email, admins.role, sessions.last_used_at < now() - interval '1 minute' AS stale
      FROM sessions JOIN admins ON admins.id = sessions.admin_id
      WHERE sessions.hash = $1 AND ${IS_VALID} AND admins.disabled_at IS NULL`,
    values: [hash],
  })
  const [row] = rows
  if (!row) return undefined
  if (row.stale) await primary.query('UPDATE sessions SET last_used_at = now() WHERE hash = $1', [hash])
  return { id: row.id, email: row.email, role: row.role }
}

const BEGIN = (seconds: number, condition: string) => `
  INSERT INTO sessions (hash, admin_id, expires_at, address, user_agent)
  SELECT $1, id, now() + make_interval(secs => ${seconds}), $2, $3
  FROM admins WHERE id = $4 AND ${condition} AND disabled_at IS NULL FOR SHARE`

/**
 * False where the password was changed, or its owner shut out, since it was looked at. The lock makes it wait for whoever
 * changes the password at this moment, and them for it: a session that neither has seen would outlive the change.
 */
export function beginSession(
  primary: pg.Pool,
  secret: string,
  { id, passwordHash }: { id: number; passwordHash: string },
  device: Origin,
): Promise<boolean> {
  return insertSession(primary, BEGIN(SESSION_SECONDS_MAX, 'password_hash = $5'), secret, device, [
    id,
    passwordHash,
  ])
}

/** The same for who signed in through the provider. It is shorter: what they may do is asked for when it begins. */
export function beginProvidedSession(
  primary: pg.Pool,
  secret: string,
  { id, issuer, subject }: { id: number; issuer: string; subject: string },
  device: Origin,
): Promise<boolean> {
  const condition =
    'EXISTS (SELECT FROM admin_identities WHERE admin_id = admins.id AND issuer = $5 AND subject = $6)'
  const statement = BEGIN(PROVIDED_SESSION_SECONDS_MAX, condition)
  return insertSession(primary, statement, secret, device, [id, issuer, subject])
}

type Origin = Pick<Device, 'address' | 'userAgent'>

async function insertSession(
  primary: pg.Pool,
  statement: string,
  secret: string,
  { address, userAgent }: Origin,
  values: Array<number | string>,
): Promise<boolean> {
  // A header may hold what no text of Postgres can.
  const agent = userAgent.replace(/\p{Cc}/gu, ' ').slice(0, USER_AGENT_LENGTH_MAX)
  const { rowCount } = await primary.query(statement, [hashSecret(secret), address, agent, ...values])
  return rowCount === 1
}

export async function endSession(primary: pg.Pool, secret: string): Promise<void> {
  await primary.query('DELETE FROM sessions WHERE hash = $1', [hashSecret(secret)])
}

/** Ends the sessions of an administrator; one may be spared. */
export async function endSessions(
  connection: pg.Pool | pg.PoolClient,
  adminId: number,
  spared?: string,
): Promise<number> {
  const { rowCount } = await connection.query('DELETE FROM sessions WHERE admin_id = $1 AND hash <> $2', [
    adminId,
    spared === undefined ? Buffer.alloc(0) : hashSecret(spared),
  ])
  return rowCount ?? 0
}

export async function listSessions(primary: pg.Pool, adminId: number): Promise<SessionRow[]> {
  const { rows } = await primary.query<SessionRow>(
    `SELECT hash, created_at AS "createdAt", last_used_at AS "lastUsedAt", address, user_agent AS "userAgent"
     FROM sessions WHERE admin_id = $1 AND ${IS_VALID} ORDER BY last_used_at DESC, created_at DESC`,
    [adminId],
  )
  return rows
}
