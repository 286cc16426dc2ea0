// The audit log: one row for each thing that a write makes, changes or deletes, in the write's own transaction.
import type { Knex } from 'knex'
import type { Actor } from './jobs.ts'

export type Change = {
  action: string
  resource: string
  resourceId?: number
  before?: unknown
  after?: unknown
}

/** Who asked, and with which request. */
export type Author = { actor: Actor; requestId: string }

export async function audit(
  trx: Knex.Transaction,
  { actor, requestId }: Author,
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

export type ChangedRow = { id: number; before?: unknown; after?: unknown }

/** What one write does to many things of a kind, in one statement. */
export async function auditEach(
  trx: Knex.Transaction,
  { actor, requestId }: Author,
  { action, resource }: Pick<Change, 'action' | 'resource'>,
  changes: ChangedRow[],
): Promise<void> {
  if (changes.length === 0) return
  await trx.raw(
    `INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, before, after, request_id)
     SELECT ?, ?, ?, ?, ?, (change ->> 'id')::bigint, change -> 'before', change -> 'after', ?
     FROM jsonb_array_elements(?::jsonb) WITH ORDINALITY AS changes (change, ordinal)
     ORDER BY ordinal`,
    [actor.type, actor.id, actor.name, action, resource, requestId, JSON.stringify(changes)],
  )
}
