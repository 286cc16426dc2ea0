// Links by which administrators choose a password. Written by workers, used up here: it must work while Redis is down.
import type pg from 'pg'
import { hashSecret, isSecret } from '../framework/sessions/secrets.ts'
import { endSessions } from '../framework/sessions/sessions.ts'

type LinkedAdmin = { id: number; email: string }

const VALID = 'admin_links.expires_at > now() AND admins.disabled_at IS NULL'

/** Undefined where the link is not valid. */
export async function findLinkedAdmin(
  primary: pg.Pool,
  secret: string | undefined,
): Promise<LinkedAdmin | undefined> {
  if (!isSecret(secret)) return undefined
  const { rows } = await primary.query<LinkedAdmin>(
    `SELECT admins.id, admins.email FROM admin_links JOIN admins ON admins.id = admin_links.admin_id
     WHERE hash = $1 AND ${VALID}`,
    [hashSecret(secret)],
  )
  return rows[0]
}

/** Uses it up, and any other one of theirs: the password is this one now, and whoever was signed in with another is signed out. */
export async function takeLink(
  primary: pg.Pool,
  secret: string,
  passwordHash: string,
): Promise<LinkedAdmin | undefined> {
  const client = await primary.connect()
  let isClean = false
  try {
    await client.query('BEGIN')
    // Of two who come with it at the same moment, the second waits and finds none.
    const { rows } = await client.query<LinkedAdmin>(
      `DELETE FROM admin_links USING admins WHERE admins.id = admin_links.admin_id AND hash = $1 AND ${VALID}
       RETURNING admins.id, admins.email`,
      [hashSecret(secret)],
    )
    const [admin] = rows
    if (admin) {
      await client.query('UPDATE admins SET password_hash = $2, updated_at = now() WHERE id = $1', [
        admin.id,
        passwordHash,
      ])
      // The same may have come by mail.
      await client.query('DELETE FROM admin_links WHERE admin_id = $1', [admin.id])
      await endSessions(client, admin.id)
    }
    await client.query('COMMIT')
    isClean = true
    return admin
  } finally {
    client.release(!isClean)
  }
}
