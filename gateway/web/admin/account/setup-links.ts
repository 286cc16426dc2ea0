// The link for creating the first administrator. Several gateways may each have a valid link, but only one of
// the links can be used, and only once.
import type pg from 'pg'
import { isTransient } from '../../../../shared/database/faults.ts'
import type { Services } from '../../../server/services/services.ts'
import { DASHBOARD_PATH, linkTo } from '../../sessions/addresses.ts'
import { createSecret, hashSecret } from '../../sessions/secrets.ts'

const LINK_VALID_HOURS = 24
const RETRY_AFTER_MS = 5_000

/**
 * Logs the link if there is no administrator yet, and retries while the database is unreachable. Returns a function
 * that stops the retries.
 */
export function logSetupLink({ primary, config, log }: Services, port: number): () => void {
  // If only single sign-on is allowed, the first administrator comes from the identity provider.
  if (!config.signIn.isLocal) return () => undefined
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const announce = async () => {
    try {
      const secret = await createSetupLink(primary)
      if (secret === undefined) return
      const base = config.publicUrl ?? `http://localhost:${port}`
      const link = base + linkTo(DASHBOARD_PATH, '/setup', { token: secret })
      log.warn(
        { link },
        `There is no administrator yet. Create the first one with this link within ${LINK_VALID_HOURS} hours`,
      )
    } catch (error) {
      if (isOver) return
      if (isTransient(error) || isNotMigrated(error)) timer = setTimeout(announce, RETRY_AFTER_MS).unref()
      else log.error({ err: error }, 'the link for the first administrator could not be created')
    }
  }
  void announce()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

async function createSetupLink(primary: pg.Pool): Promise<string | undefined> {
  const secret = createSecret()
  await primary.query('DELETE FROM setup_links WHERE expires_at <= now()')
  const { rowCount } = await primary.query(
    `INSERT INTO setup_links (hash, expires_at)
     SELECT $1, now() + make_interval(hours => $2) WHERE NOT EXISTS (SELECT FROM admins)`,
    [hashSecret(secret), LINK_VALID_HOURS],
  )
  return rowCount === 1 ? secret : undefined
}

// Returns true if a table or privilege that this version needs does not exist yet.
function isNotMigrated(error: unknown): boolean {
  return ['42P01', '42501'].includes((error as { code?: string }).code ?? '')
}
