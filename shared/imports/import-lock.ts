// The advisory lock that an import holds while it writes users. Workers take it, and the dashboard shows whether it is
// held.
import type { Knex } from 'knex'
import { LOCKS, trySharedLockSql, waitForLockSql, waitForSharedLockSql } from '../database/locks.ts'
import { message } from '../messages/message.ts'
import { Refusal } from '../messages/refusal.ts'

/**
 * Locks imports, so that only one runs at a time on all machines, even if Redis fails. The lock also keeps everything
 * else from writing users, because the plan depends on the users that the import found.
 */
export async function lockImports(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`SELECT ${waitForLockSql(LOCKS.imports)}`)
  await limitLockWaits(trx)
}

/**
 * Limits how long each of the following statements of an import waits for a lock. While the import waits, it blocks writes
 * to the rows that it has locked, and the change feed.
 */
export async function limitLockWaits(trx: Knex.Transaction): Promise<void> {
  await trx.raw("SET LOCAL lock_timeout = '30s'")
}

/** Waits until no import is running. Use this only for work whose result no caller waits for. */
export async function waitForImport(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`SELECT ${waitForSharedLockSql(LOCKS.imports)}`)
}

/**
 * Refuses a write while an import is running, because the caller would have to wait for minutes. An import in turn
 * waits for such writes.
 */
export async function refuseDuringImport(trx: Knex.Transaction): Promise<void> {
  const { rows } = await trx.raw(`SELECT ${trySharedLockSql(LOCKS.imports)} AS free`)
  if (rows[0].free) return
  throw new Refusal('import_running', message`An import is running. Try again when it has finished.`)
}
