// Changes waitlist entries, and records each change in the audit log, with the offer if there was one.

import type { ChangedRow } from '../../../shared/audit/audit.ts'
import type { AuditAction } from '../../../shared/audit/audit-actions.ts'
import type { Recorder, SqlValues } from '../../runtime/write.ts'

/** SQL for a waitlist entry as the audit log stores it. */
export const AUDITED_WAITLIST_ENTRY = `to_jsonb(waits) || jsonb_build_object(
  'offered_bookable_id', (SELECT bookable_id FROM holds WHERE holds.id = waits.hold_id))`

type WaitChange = {
  action: Extract<AuditAction, `waits.${string}`>
  /** SQL that follows SET. */
  set: string
  where: string
  values: SqlValues
}

/** Changes waitlist entries. Returns the number of changed entries. */
export async function updateWaitlistEntries(
  write: Recorder,
  { action, set, where, values }: WaitChange,
): Promise<number> {
  const changed = await write.all<ChangedRow>(
    `WITH former AS MATERIALIZED (
       SELECT waits.id, ${AUDITED_WAITLIST_ENTRY} AS row FROM waits WHERE ${where} ORDER BY waits.id FOR UPDATE
     )
     UPDATE waits SET ${set} FROM former WHERE waits.id = former.id
     RETURNING waits.id, former.row AS before, ${AUDITED_WAITLIST_ENTRY} AS after`,
    values,
  )
  await write.auditEach(action, undefined, changed)
  return changed.length
}
