// The audit log: one row for each thing that a write creates, changes or deletes, in the write's own
// transaction. The same statement writes the outbox (changes/record.ts), so that the two always agree.
import type { Knex } from 'knex'
import type { Author } from '../changes/author.ts'
import type { ChangedResource } from '../changes/changes-shape.ts'
import type { CREATED, Former } from '../changes/former.ts'
import { changeActionOf, recordSql, recordValues } from '../changes/record.ts'
import { rawPrepared } from '../database/prepared.ts'
import type { AuditAction } from './audit-actions.ts'

export type RecordedAction = Extract<AuditAction, `${ChangedResource}.${string}`>

/** The former state, which only the outbox needs. */
export type FormerOf<Action extends AuditAction> = Action extends RecordedAction
  ? Former | typeof CREATED
  : undefined

/** A change that the outbox records too must include the former state. */
export type Change = { before?: unknown; after?: unknown } & (
  | { action: RecordedAction; id: number; former: Former | typeof CREATED }
  | { action: Exclude<AuditAction, RecordedAction>; id?: number }
  /** One entry for many things, whose changes are recorded by the code that writes them. */
  | { action: RecordedAction; id?: never }
)

export function audit(trx: Knex.Transaction, author: Author, change: Change): Promise<void> {
  const { action, id, before, after } = change
  const former = 'former' in change ? change.former : undefined
  return insert(trx, author, action, former, [{ id, before, after }])
}

export type ChangedRow = { id: number; before?: unknown; after?: unknown }

/** Records what one write does to many things of a kind, in one statement. */
export async function auditEach<Action extends AuditAction>(
  trx: Knex.Transaction,
  author: Author,
  action: Action,
  former: FormerOf<Action>,
  changes: ChangedRow[],
): Promise<void> {
  if (changes.length > 0) await insert(trx, author, action, former, changes)
}

async function insert(
  trx: Knex.Transaction,
  author: Author,
  action: AuditAction,
  former: Former | typeof CREATED | undefined,
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
    await rawPrepared(trx, entries, values)
    return
  }
  const ids = changes.flatMap(({ id }) => id ?? [])
  await rawPrepared(trx, `WITH audited AS (${entries}) ${recordSql(resource as ChangedResource)}`, [
    ...values,
    ...recordValues(author, changeActionOf(action), former, ids),
  ])
}
