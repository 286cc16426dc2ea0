// The audit log: one row a write, in the write's own transaction.
import type { Transaction, WorkContext } from './context.ts'

export type Change = {
  action: string
  resource: string
  resourceId?: number
  before?: unknown
  after?: unknown
}

export async function audit(
  trx: Transaction,
  { actor, requestId }: WorkContext,
  change: Change,
): Promise<void> {
  await trx.raw(
    `INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, before, after, request_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      actor.type,
      actor.id,
      actor.name,
      change.action,
      change.resource,
      change.resourceId ?? null,
      change.before === undefined ? null : JSON.stringify(change.before),
      change.after === undefined ? null : JSON.stringify(change.after),
      requestId,
    ],
  )
}
