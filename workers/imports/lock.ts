// One import at a time, over all machines, whatever happens to Redis; and nobody else writes users meanwhile, because an
// import is planned by what it has found.
import { IMPORT_LOCK } from '../../shared/import-lock.ts'
import type { Transaction } from '../context.ts'

export async function lockImports(trx: Transaction): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(?)', [IMPORT_LOCK])
}
