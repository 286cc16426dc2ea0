// One import at a time, over all machines, whatever happens to Redis; and nobody else writes users meanwhile, because an
// import is planned by what it has found.
import { IMPORT_LOCK } from '../../shared/import-lock.ts'
import { Refusal } from '../../shared/refusal.ts'
import type { Transaction } from '../context.ts'

export async function lockImports(trx: Transaction): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(?)', [IMPORT_LOCK])
}

/** Somebody waits for the answer, and an import may take minutes. An import waits for these writes in its turn. */
export async function refuseDuringImport(trx: Transaction): Promise<void> {
  const { rows } = await trx.raw('SELECT pg_try_advisory_xact_lock_shared(?) AS free', [IMPORT_LOCK])
  if (rows[0].free) return
  throw new Refusal('import_running', 'An import is running. Try again when it has finished.')
}
