// Allows one import at a time on all machines, even if Redis fails. Nothing else writes users meanwhile,
// because the plan depends on the users that it found.
import { IMPORT_LOCK } from '../../../shared/imports/import-lock.ts'
import type { Transaction } from '../../runtime/context.ts'

export async function lockImports(trx: Transaction): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(?)', [IMPORT_LOCK])
}
