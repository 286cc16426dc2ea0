// The advisory lock that an import holds while it writes users: workers take it, and the dashboard shows that
// it is held.
import type { Knex } from 'knex'
import { message } from '../messages/message.ts'
import { Refusal } from '../messages/refusal.ts'

/** Any number that nothing else uses. */
export const IMPORT_LOCK = 7_301_002

/**
 * One import at a time on all machines, even if Redis fails. Nothing else writes users meanwhile, because the plan
 * depends on the users that it found.
 */
export async function lockImports(trx: Knex.Transaction): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(?)', [IMPORT_LOCK])
}

/** For work whose result no caller waits for. */
export async function waitForImport(trx: Knex.Transaction): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock_shared(?)', [IMPORT_LOCK])
}

/**
 * Refuses instead of waiting, for writes whose caller waits: an import may take minutes. An import waits for
 * these writes in turn.
 */
export async function refuseDuringImport(trx: Knex.Transaction): Promise<void> {
  const { rows } = await trx.raw('SELECT pg_try_advisory_xact_lock_shared(?) AS free', [IMPORT_LOCK])
  if (rows[0].free) return
  throw new Refusal('import_running', message`An import is running. Try again when it has finished.`)
}
