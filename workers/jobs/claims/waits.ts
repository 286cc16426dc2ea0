// Changes waits, and records it in the audit log, with what was offered.

import type { ChangedRow } from '../../../shared/audit/audit.ts'
import type { AuditAction } from '../../../shared/audit/audit-actions.ts'
import type { Recorder, Values } from '../../runtime/write.ts'

/** SQL for a wait as the audit log stores it. */
export const AUDITED_WAIT = `to_jsonb(waits) || jsonb_build_object(
  'offered_bookable_id', (SELECT bookable_id FROM holds WHERE holds.id = waits.hold_id))`

type Change = {
  action: Extract<AuditAction, `waits.${string}`>
  /** SQL. */
  set: string
  where: string
  values: Values
}

/** Returns how many there were. */
export async function changeWaits(write: Recorder, { action, set, where, values }: Change): Promise<number> {
  const changed = await write.all<ChangedRow>(
    `WITH former AS MATERIALIZED (
       SELECT waits.id, ${AUDITED_WAIT} AS row FROM waits WHERE ${where} ORDER BY waits.id FOR UPDATE
     )
     UPDATE waits SET ${set} FROM former WHERE waits.id = former.id
     RETURNING waits.id, former.row AS before, ${AUDITED_WAIT} AS after`,
    values,
  )
  await write.auditEach(action, undefined, changed)
  return changed.length
}
