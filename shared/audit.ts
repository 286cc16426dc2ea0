// The audit log: one row for each thing that a write makes, changes or deletes, in the write's own transaction. The same
// statement writes the outbox (changes/record.ts), so that nothing is in one and not in the other.
import type { Knex } from 'knex'
import { changeActionOf, recordSql, recordValues } from './changes/record.ts'
import type { AuditAction } from './contracts/administrators/audit-actions.ts'
import type { Actor } from './jobs.ts'
import { isChangedResource } from './shapes/changes.ts'

export type Change = {
  action: AuditAction
  resource: string
  resourceId?: number
  before?: unknown
  after?: unknown
}

/** Who asked, and with which request. */
export type Author = { actor: Actor; requestId: string }

export async function audit(trx: Knex.Transaction, author: Author, change: Change): Promise<void> {
  const { actor, requestId } = author
  const values = [
    actor.type,
    actor.id,
    actor.name,
    change.action,
    change.resource,
    change.resourceId ?? null,
    change.before === undefined ? null : JSON.stringify(change.before),
    change.after === undefined ? null : JSON.stringify(change.after),
    requestId,
  ]
  await insertWithChanges(
    trx,
    author,
    {
      ...change,
      rows: change.resourceId === undefined ? [] : [{ id: change.resourceId, before: change.before }],
    },
    `INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, before, after, request_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    values,
  )
}

export type ChangedRow = { id: number; before?: unknown; after?: unknown }

/** What one write does to many things of a kind, in one statement. */
export async function auditEach(
  trx: Knex.Transaction,
  author: Author,
  { action, resource }: Pick<Change, 'action' | 'resource'>,
  changes: ChangedRow[],
): Promise<void> {
  if (changes.length === 0) return
  const { actor, requestId } = author
  await insertWithChanges(
    trx,
    author,
    { action, resource, rows: changes },
    `INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, before, after, request_id)
     SELECT ?, ?, ?, ?, ?, (change ->> 'id')::bigint, change -> 'before', change -> 'after', ?
     FROM jsonb_array_elements(?::jsonb) WITH ORDINALITY AS changes (change, ordinal)
     ORDER BY ordinal`,
    [actor.type, actor.id, actor.name, action, resource, requestId, JSON.stringify(changes)],
  )
}

async function insertWithChanges(
  trx: Knex.Transaction,
  author: Author,
  { action, resource, rows }: Pick<Change, 'action' | 'resource'> & { rows: ChangedRow[] },
  insertEntries: string,
  values: Knex.Value[],
): Promise<void> {
  if (!isChangedResource(resource) || rows.length === 0) {
    await trx.raw(insertEntries, values)
    return
  }
  await trx.raw(`WITH audited AS (${insertEntries}) ${recordSql(resource)}`, [
    ...values,
    ...recordValues(author, { resource, action: changeActionOf(action) }, rows),
  ])
}
