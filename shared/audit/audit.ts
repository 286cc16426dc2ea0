// The audit log: one row for each thing that a write creates, changes or deletes, in the write's own
// transaction. The same statement writes the outbox (changes/record.ts), so that the two always agree.
import type { Knex } from 'knex'
import type { ChangedResource } from '../changes/changes-shape.ts'
import type { CREATED, Former } from '../changes/former.ts'
import { changeActionOf, recordSql, recordValues } from '../changes/record.ts'
import type { Actor } from '../jobs/jobs.ts'
import type { AuditAction } from './audit-actions.ts'

type ResourceOf<Action> = Action extends `${infer Resource}.${string}` ? Resource : never
type UnchangedResource = Exclude<ResourceOf<AuditAction>, ChangedResource>

/** A change that the outbox records too must include the former state. */
type Changed =
  | { resource: ChangedResource; resourceId: number; former: Former | typeof CREATED }
  | { resource: UnchangedResource; resourceId?: number }
  /** One entry for many things, whose changes are recorded by the code that writes them. */
  | { resource: ChangedResource; resourceId?: never }

export type Change = { action: AuditAction; before?: unknown; after?: unknown } & Changed

/** Who made the change, and by which request. */
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
    'former' in change ? { ...change, ids: [change.resourceId] } : undefined,
    `INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, before, after, request_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    values,
  )
}

export type ChangedRow = { id: number; before?: unknown; after?: unknown }

/** Records what one write does to many things of a kind, in one statement. */
export async function auditEach(
  trx: Knex.Transaction,
  author: Author,
  { action, resource }: { action: AuditAction; resource: ChangedResource },
  former: Former | typeof CREATED,
  changes: ChangedRow[],
): Promise<void> {
  if (changes.length === 0) return
  const { actor, requestId } = author
  await insertWithChanges(
    trx,
    author,
    { action, resource, former, ids: changes.map(({ id }) => id) },
    `INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, before, after, request_id)
     SELECT ?, ?, ?, ?, ?, (change ->> 'id')::bigint, change -> 'before', change -> 'after', ?
     FROM jsonb_array_elements(?::jsonb) WITH ORDINALITY AS changes (change, ordinal)
     ORDER BY ordinal`,
    [actor.type, actor.id, actor.name, action, resource, requestId, JSON.stringify(changes)],
  )
}

type Recorded = {
  action: AuditAction
  resource: ChangedResource
  former: Former | typeof CREATED
  ids: number[]
}

async function insertWithChanges(
  trx: Knex.Transaction,
  author: Author,
  recorded: Recorded | undefined,
  insertEntries: string,
  values: Knex.Value[],
): Promise<void> {
  if (!recorded) {
    await trx.raw(insertEntries, values)
    return
  }
  const { action, resource, former, ids } = recorded
  await trx.raw(`WITH audited AS (${insertEntries}) ${recordSql(resource)}`, [
    ...values,
    ...recordValues(author, changeActionOf(action), former, ids),
  ])
}
