// Links with which administrators choose a password. Workers create them. The gateway uses them up, so that
// they work while Redis is down.
import type pg from 'pg'
import { hashSecret, isSecret } from '../kit/sessions/secrets.ts'
import { endSessions } from '../kit/sessions/sessions.ts'

type LinkedAdmin = { id: number; email: string }

const VALID = 'admin_links.expires_at > now() AND admins.disabled_at IS NULL'

/** Undefined if the link is not valid. */
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

/** Sets the password, deletes all links of the administrator and ends all their sessions. */
export async function redeemLink(
  primary: pg.Pool,
  secret: string,
  passwordHash: string,
): Promise<LinkedAdmin | undefined> {
  const client = await primary.connect()
  let isClean = false
  try {
    await client.query('BEGIN')
    // If two requests use the same link at once, the second one waits and then finds no row.
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
      // Another link may have been sent by mail.
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
