// Links with which the first administrator is created. Several may be valid, from several gateways, but only
// one works, once.
import type pg from 'pg'
import { isTransient } from '../../../shared/database/faults.ts'
import type { Services } from '../../services/services.ts'
import { linkTo } from '../kit/sessions/addresses.ts'
import { createSecret, hashSecret, isSecret } from '../kit/sessions/secrets.ts'

const VALID_HOURS = 24
const RETRY_MS = 5_000

// Any number that nothing else uses. The lock ensures that simultaneous requests create only one first
// administrator.
const LOCK = 7_301_010

/**
 * Logs the link if there is no administrator yet, and retries while the database is unreachable. Returns a
 * function that stops this.
 */
export function announceSetup({ primary, config, log }: Services, port: number): () => void {
  // With single sign-on only, the first administrator comes from the provider.
  if (!config.signIn.isLocal) return () => undefined
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const announce = async () => {
    try {
      const secret = await createSetupLink(primary)
      if (secret === undefined) return
      const base = config.publicUrl ?? `http://localhost:${port}`
      const link = base + linkTo('', '/setup', { token: secret })
      log.warn(
        { link },
        `There is no administrator yet. Create the first one with this link within ${VALID_HOURS} hours`,
      )
    } catch (error) {
      if (isOver) return
      if (isTransient(error) || isNotMigrated(error)) timer = setTimeout(announce, RETRY_MS).unref()
      else log.error({ err: error }, 'the link for the first administrator could not be created')
    }
  }
  void announce()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

export async function isValidSetupLink(primary: pg.Pool, secret: string | undefined): Promise<boolean> {
  if (!isSecret(secret)) return false
  const { rows } = await primary.query(
    `SELECT FROM setup_links WHERE hash = $1 AND expires_at > now() AND NOT EXISTS (SELECT FROM admins)`,
    [hashSecret(secret)],
  )
  return rows.length > 0
}

/**
 * Returns the new administrator's id, or undefined if the link is not valid or another request was faster.
 */
export async function createFirstAdmin(
  primary: pg.Pool,
  secret: string,
  { email, passwordHash }: { email: string; passwordHash: string },
): Promise<number | undefined> {
  const client = await primary.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO admins (email, password_hash)
       SELECT $2, $3 FROM setup_links
       WHERE hash = $1 AND expires_at > now() AND NOT EXISTS (SELECT FROM admins)
       RETURNING id`,
      [hashSecret(secret), email, passwordHash],
    )
    if (rows[0]) await client.query('DELETE FROM setup_links')
    await client.query('COMMIT')
    client.release()
    return rows[0]?.id
  } catch (error) {
    // The connection may be in the middle of a transaction, so it must not return to the pool.
    client.release(true)
    throw error
  }
}

async function createSetupLink(primary: pg.Pool): Promise<string | undefined> {
  const secret = createSecret()
  await primary.query('DELETE FROM setup_links WHERE expires_at <= now()')
  const { rowCount } = await primary.query(
    `INSERT INTO setup_links (hash, expires_at)
     SELECT $1, now() + make_interval(hours => $2) WHERE NOT EXISTS (SELECT FROM admins)`,
    [hashSecret(secret), VALID_HOURS],
  )
  return rowCount === 1 ? secret : undefined
}

// A table or privilege that this version needs does not exist yet.
function isNotMigrated(error: unknown): boolean {
  return ['42P01', '42501'].includes((error as { code?: string }).code ?? '')
}
