// Sessions of people on their own pages, and the links that begin these sessions. As with administrators,
// only hashes are stored. Each request looks its session up, so signing out and deactivating a person take
// effect at once.
import type pg from 'pg'
import { currentLanguage } from '../locales/translate.ts'
import { hashSecret } from '../sessions/secrets.ts'
import { cleanUserAgent, type Device, type SignedInPerson } from '../sessions/sessions.ts'

/** The duration of a session. It is long because people open their pages on a phone that locks itself. */
export const SESSION_SECONDS = 60 * 24 * 3600

type SessionOrigin = Pick<Device, 'address' | 'userAgent'>

export async function findSignedInPerson(
  primary: pg.Pool,
  secret: string,
): Promise<SignedInPerson | undefined> {
  const hash = hashSecret(secret)
  const { rows } = await primary.query<SignedInPerson & { stale: boolean }>({
    name: 'find-person-session',
    text: `
      SELECT users.id, users.name, users.email, last_used_at < now() - interval '1 hour' AS stale
      FROM person_sessions JOIN users ON users.id = person_sessions.user_id
      WHERE hash = $1 AND expires_at > now() AND users.deactivated_at IS NULL`,
    values: [hash],
  })
  const [row] = rows
  if (!row) return undefined
  if (row.stale)
    await primary.query('UPDATE person_sessions SET last_used_at = now() WHERE hash = $1', [hash])
  const { id, name, email } = row
  return { id, name, email }
}

const INSERT_SESSION = `
  INSERT INTO person_sessions (hash, user_id, expires_at, address, user_agent)
  SELECT $1, id, now() + interval '${SESSION_SECONDS} seconds', $2, $3 FROM users`

// SQL that stores the language of the first session. Mails are in that language until the person chooses another one.
const keepLanguageSql = (begun: string) => `
  INSERT INTO person_languages (user_id, language) SELECT user_id, $5 FROM ${begun} ON CONFLICT DO NOTHING`

/**
 * Uses up a sign-in link. Returns false if the link is unknown, expired or used, or if its person has been deactivated.
 */
export async function redeemSignInLink(
  primary: pg.Pool,
  link: string,
  secret: string,
  { address, userAgent }: SessionOrigin,
): Promise<boolean> {
  const { rows } = await primary.query(
    `WITH used AS (DELETE FROM sign_in_links WHERE hash = $4 AND expires_at > now() RETURNING user_id),
     begun AS (${INSERT_SESSION} WHERE id = (SELECT user_id FROM used) AND deactivated_at IS NULL RETURNING user_id),
     kept AS (${keepLanguageSql('begun')})
     SELECT user_id FROM begun`,
    [hashSecret(secret), address, cleanUserAgent(userAgent), hashSecret(link), currentLanguage()],
  )
  return rows.length === 1
}

/**
 * Begins a session for somebody whose e-mail address the identity provider has verified. Returns undefined if no user
 * has this address.
 */
export async function beginVerifiedSession(
  primary: pg.Pool,
  email: string,
  secret: string,
  { address, userAgent }: SessionOrigin,
): Promise<number | undefined> {
  const { rows } = await primary.query<{ id: number }>(
    `WITH begun AS (${INSERT_SESSION} WHERE lower(email) = lower($4) AND deactivated_at IS NULL RETURNING user_id),
     kept AS (${keepLanguageSql('begun')})
     SELECT user_id AS id FROM begun`,
    [hashSecret(secret), address, cleanUserAgent(userAgent), email, currentLanguage()],
  )
  return rows[0]?.id
}

export async function endPersonSession(primary: pg.Pool, secret: string): Promise<void> {
  await primary.query('DELETE FROM person_sessions WHERE hash = $1', [hashSecret(secret)])
}

/** Ends all sessions of a person except the session with `secret`. */
export async function endOtherSessions(primary: pg.Pool, personId: number, secret: string): Promise<number> {
  const { rowCount } = await primary.query('DELETE FROM person_sessions WHERE user_id = $1 AND hash <> $2', [
    personId,
    hashSecret(secret),
  ])
  return rowCount ?? 0
}
