// Refuses input from an outdated form. The row is locked already, so nothing changes after the check.
import { onlyRow } from '../../../shared/database/database.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { contentSql, type Versioned, versionedTable, versionSql } from '../../../shared/schemas/versions.ts'
import type { Transaction } from '../../runtime/context.ts'

/** Without a version, whatever is there is replaced. */
export async function requireVersion(
  trx: Transaction,
  of: Versioned,
  id: number,
  expected: string | undefined,
): Promise<void> {
  if (expected === undefined) return
  const { rows } = await trx.raw(
    `SELECT ${versionSql(of)} AS version, ${contentSql(of)} AS present FROM ${versionedTable(of)} WHERE id = ?`,
    [id],
  )
  const { version, present } = onlyRow<{ version: string; present: unknown }>(rows)
  if (version === expected) return
  const detail = message`This was changed while you were editing it. Nothing was saved.`
  throw new Refusal('changed_meanwhile', detail, { members: { version, present } })
}
