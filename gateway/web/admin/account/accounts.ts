// What changes about the accounts of administrators without a job: the gateway writes it itself, so that it
// works while Redis is down. Workers create the links with which they choose a password.
import type pg from 'pg'
import { LOCKS, waitForLock } from '../../../../shared/database/locks.ts'
import { findRow } from '../../../reads/rows/rows.ts'
import { hashSecret, isSecret } from '../../sessions/secrets.ts'
import { endSessions } from '../../sessions/sessions.ts'

type LinkedAdmin = { id: number; email: string }

const VALID_LINK = 'admin_links.expires_at > now() AND admins.disabled_at IS NULL'
const VALID_SETUP_LINK = 'hash = $1 AND expires_at > now() AND NOT EXISTS (SELECT FROM admins)'

// A connection that fails in the middle of a transaction does not return to the pool.
async function inTransaction<Result>(
  primary: pg.Pool,
  write: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await primary.connect()
  let isClean = false
  try {
    await client.query('BEGIN')
    const result = await write(client)
    await client.query('COMMIT')
    isClean = true
    return result
  } finally {
    client.release(!isClean)
  }
}

/**
 * Changes the password, ends the other sessions and returns their number, or undefined if the password has
 * changed since it was checked. Two statements, because only the second one sees a session that begins right
 * now with the old password.
 */
export function changePassword(
  primary: pg.Pool,
  { id, from, to, exceptSession }: { id: number; from: string; to: string; exceptSession: string },
): Promise<number | undefined> {
  return inTransaction(primary, async (client) => {
    const { rowCount } = await client.query(
      'UPDATE admins SET password_hash = $3, updated_at = now() WHERE id = $1 AND password_hash = $2',
      [id, from, to],
    )
    return rowCount === 1 ? endSessions(client, id, exceptSession) : undefined
  })
}

/** Undefined if the link is not valid. */
export async function findLinkedAdmin(
  primary: pg.Pool,
  secret: string | undefined,
): Promise<LinkedAdmin | undefined> {
  if (!isSecret(secret)) return undefined
  return findRow(
    primary,
    `SELECT admins.id, admins.email FROM admin_links JOIN admins ON admins.id = admin_links.admin_id
     WHERE hash = $1 AND ${VALID_LINK}`,
    [hashSecret(secret)],
  )
}

/** Sets the password, deletes all links of the administrator, ends all their sessions, and returns their id. */
export function redeemLink(
  primary: pg.Pool,
  secret: string,
  passwordHash: string,
): Promise<number | undefined> {
  return inTransaction(primary, async (client) => {
    // If two requests use the same link at once, the second one waits and then finds no row.
    const { rows } = await client.query<{ id: number }>(
      `DELETE FROM admin_links USING admins
       WHERE admins.id = admin_links.admin_id AND hash = $1 AND ${VALID_LINK} RETURNING admins.id`,
      [hashSecret(secret)],
    )
    const id = rows[0]?.id
    if (id === undefined) return undefined
    const text = 'UPDATE admins SET password_hash = $2, updated_at = now() WHERE id = $1'
    await client.query(text, [id, passwordHash])
    // Another link may have been sent by mail.
    await client.query('DELETE FROM admin_links WHERE admin_id = $1', [id])
    await endSessions(client, id)
    return id
  })
}

export async function isValidSetupLink(primary: pg.Pool, secret: string | undefined): Promise<boolean> {
  if (!isSecret(secret)) return false
  const text = `SELECT FROM setup_links WHERE ${VALID_SETUP_LINK}`
  return (await findRow(primary, text, [hashSecret(secret)])) !== undefined
}

/**
 * Returns the new administrator's id, or undefined if the link is not valid or another request was faster.
 */
export function createFirstAdmin(
  primary: pg.Pool,
  secret: string,
  { email, passwordHash }: { email: string; passwordHash: string },
): Promise<number | undefined> {
  return inTransaction(primary, async (client) => {
    await client.query(`SELECT ${waitForLock(LOCKS.firstAdministrator)}`)
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO admins (email, password_hash)
       SELECT $2, $3 FROM setup_links WHERE ${VALID_SETUP_LINK} RETURNING id`,
      [hashSecret(secret), email, passwordHash],
    )
    if (rows[0]) await client.query('DELETE FROM setup_links')
    return rows[0]?.id
  })
}
