// The advisory lock that an import holds while it writes users: workers take it, and the dashboard shows that
// it is held.
import type { Knex } from 'knex'
import { LOCKS, trySharedLock, waitForLock, waitForSharedLock } from '../database/locks.ts'
import { message } from '../messages/message.ts'
import { Refusal } from '../messages/refusal.ts'

/**
 * One import at a time on all machines, even if Redis fails. Nothing else writes users meanwhile, because the plan
 * depends on the users that it found.
 */
export async function lockImports(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`SELECT ${waitForLock(LOCKS.imports)}`)
}

/** For work whose result no caller waits for. */
export async function waitForImport(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`SELECT ${waitForSharedLock(LOCKS.imports)}`)
}

/**
 * Refuses instead of waiting, for writes whose caller waits: an import may take minutes. An import waits for
 * these writes in turn.
 */
export async function refuseDuringImport(trx: Knex.Transaction): Promise<void> {
  const { rows } = await trx.raw(`SELECT ${trySharedLock(LOCKS.imports)} AS free`)
  if (rows[0].free) return
  throw new Refusal('import_running', message`An import is running. Try again when it has finished.`)
}
