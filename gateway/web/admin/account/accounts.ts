// Changes the accounts of administrators without jobs: the gateway writes them itself, so that signing in works while
// Redis is down. Workers create the links with which administrators choose a password.
import type pg from 'pg'
import { LOCKS, waitForLockSql } from '../../../../shared/database/locks.ts'
import { findRow } from '../../../reads/rows/rows.ts'
import { hashSecret, isSecret } from '../../sessions/secrets.ts'
import { endSessions } from '../../sessions/sessions.ts'

type LinkedAdmin = { id: number; email: string }

const IS_VALID_LINK_SQL = 'admin_links.expires_at > now() AND admins.disabled_at IS NULL'
const IS_VALID_SETUP_LINK_SQL = 'hash = $1 AND expires_at > now() AND NOT EXISTS (SELECT FROM admins)'

// Runs work in a transaction. A connection that fails in the middle does not return to the pool.
async function runInTransaction<Result>(
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

/** Changes the password, ends the other sessions and returns their number. Returns undefined if the password
 * has changed since it was checked. Uses two statements, because only the second statement sees a session
 * that begins at the same moment with the old password. */
export function changePassword(
  primary: pg.Pool,
  { id, from, to, exceptSession }: { id: number; from: string; to: string; exceptSession: string },
): Promise<number | undefined> {
  return runInTransaction(primary, async (client) => {
    const { rowCount } = await client.query(
      'UPDATE admins SET password_hash = $3, updated_at = now() WHERE id = $1 AND password_hash = $2',
      [id, from, to],
    )
    return rowCount === 1 ? endSessions(client, id, exceptSession) : undefined
  })
}

/** Returns undefined if the link is not valid. */
export async function findLinkedAdmin(
  primary: pg.Pool,
  secret: string | undefined,
): Promise<LinkedAdmin | undefined> {
  if (!isSecret(secret)) return undefined
  return findRow(
    primary,
    `SELECT admins.id, admins.email FROM admin_links JOIN admins ON admins.id = admin_links.admin_id
     WHERE hash = $1 AND ${IS_VALID_LINK_SQL}`,
    [hashSecret(secret)],
  )
}

/** Sets the password, deletes all links of the administrator, ends all their sessions, and returns their id. */
export function redeemLink(
  primary: pg.Pool,
  secret: string,
  passwordHash: string,
): Promise<number | undefined> {
  return runInTransaction(primary, async (client) => {
    // If two requests use the same link at once, the second one waits and then finds no row.
    const { rows } = await client.query<{ id: number }>(
      `DELETE FROM admin_links USING admins
       WHERE admins.id = admin_links.admin_id AND hash = $1 AND ${IS_VALID_LINK_SQL} RETURNING admins.id`,
      [hashSecret(secret)],
    )
    const id = rows[0]?.id
    if (id === undefined) return undefined
    const text = 'UPDATE admins SET password_hash = $2, updated_at = now() WHERE id = $1'
    await client.query(text, [id, passwordHash])
    // Deletes the administrator's other links, such as one that was sent by mail.
    await client.query('DELETE FROM admin_links WHERE admin_id = $1', [id])
    await endSessions(client, id)
    return id
  })
}

export async function isValidSetupLink(primary: pg.Pool, secret: string | undefined): Promise<boolean> {
  if (!isSecret(secret)) return false
  const text = `SELECT FROM setup_links WHERE ${IS_VALID_SETUP_LINK_SQL}`
  return (await findRow(primary, text, [hashSecret(secret)])) !== undefined
}

/**
 * Creates the first administrator, and returns their id. Returns undefined if the link is not valid or another request
 * has already created one.
 */
export function createFirstAdmin(
  primary: pg.Pool,
  secret: string,
  { email, passwordHash }: { email: string; passwordHash: string },
): Promise<number | undefined> {
  return runInTransaction(primary, async (client) => {
    await client.query(`SELECT ${waitForLockSql(LOCKS.firstAdministrator)}`)
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO admins (email, password_hash)
       SELECT $2, $3 FROM setup_links WHERE ${IS_VALID_SETUP_LINK_SQL} RETURNING id`,
      [hashSecret(secret), email, passwordHash],
    )
    if (rows[0]) await client.query('DELETE FROM setup_links')
    return rows[0]?.id
  })
}
