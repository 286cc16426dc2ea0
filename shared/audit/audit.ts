// The audit log: one row for each resource that a write creates, changes or deletes, in the write's own transaction.
// The same statement writes the outbox (changes/record.ts), so that the audit log and the outbox always agree.
import type { Knex } from 'knex'
import type { Author } from '../changes/author.ts'
import type { ChangedResource } from '../changes/changes-shape.ts'
import type { FormerState, NEWLY_CREATED } from '../changes/former-state.ts'
import { getChangeAction, recordChangesSql, recordValues } from '../changes/record.ts'
import { runPreparedStatement } from '../database/prepared.ts'
import type { AuditAction } from './audit-actions.ts'

export type RecordedAction = Extract<AuditAction, `${ChangedResource}.${string}`>

/** The resource's state before the change, which only the outbox needs. */
export type FormerStateOf<Action extends AuditAction> = Action extends RecordedAction
  ? FormerState | typeof NEWLY_CREATED
  : undefined

/** A change that the outbox also records must include the resource's former state. */
export type AuditedChange = { before?: unknown; after?: unknown } & (
  | { action: RecordedAction; id: number; former: FormerState | typeof NEWLY_CREATED }
  | { action: Exclude<AuditAction, RecordedAction>; id?: number }
  /** One entry for several resources. The code that writes the resources records their changes. */
  | { action: RecordedAction; id?: never }
)

export function recordAudit(trx: Knex.Transaction, author: Author, change: AuditedChange): Promise<void> {
  const { action, id, before, after } = change
  const former = 'former' in change ? change.former : undefined
  return insertAuditEntries(trx, author, action, former, [{ id, before, after }])
}

export type ChangedRow = { id: number; before?: unknown; after?: unknown }

/** Writes one entry for each resource that a write changes, in a single statement. */
export async function recordAuditOfEach<Action extends AuditAction>(
  trx: Knex.Transaction,
  author: Author,
  action: Action,
  former: FormerStateOf<Action>,
  changes: ChangedRow[],
): Promise<void> {
  if (changes.length > 0) await insertAuditEntries(trx, author, action, former, changes)
}

async function insertAuditEntries(
  trx: Knex.Transaction,
  author: Author,
  action: AuditAction,
  former: FormerState | typeof NEWLY_CREATED | undefined,
  changes: Array<Partial<ChangedRow>>,
): Promise<void> {
  const { actor, requestId, attempt } = author
  const resource = action.slice(0, action.indexOf('.'))
  const entries = `
    INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, before, after, request_id,
      attempt)
    SELECT ?, ?, ?, ?, ?, (change ->> 'id')::bigint, change -> 'before', change -> 'after', ?, ?::uuid
    FROM jsonb_array_elements(?::jsonb) WITH ORDINALITY AS changes (change, ordinal)
    ORDER BY ordinal`
  const by = [actor.type, actor.id, actor.name, action, resource, requestId, attempt]
  const values = [...by, JSON.stringify(changes)]
  if (former === undefined) {
    await runPreparedStatement(trx, entries, values)
    return
  }
  const ids = changes.flatMap(({ id }) => id ?? [])
  await runPreparedStatement(
    trx,
    `WITH audited AS (${entries}) ${recordChangesSql(resource as ChangedResource)}`,
    [...values, ...recordValues(author, getChangeAction(action), former, ids)],
  )
}
