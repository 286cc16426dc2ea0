// Writes of buildings, locations and bookables by administrators: a row is locked, inserted, updated or
// deleted, and the audit log stores it before and after.
import { audit, type RecordedAction } from '../../../shared/audit/audit.ts'
import { CREATED, type Former, readFormer } from '../../../shared/changes/former.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { message } from '../../../shared/messages/message.ts'
import { MISSING_PLACE } from '../../../shared/messages/missing.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext, WriteContext } from '../../runtime/context.ts'
import { requireWithin } from './building-limits.ts'
import { requireVersion } from './preconditions.ts'

export type Fields = Record<string, unknown>
export type AuditedRow = { id: number; row: Fields }
export type LockedRow = AuditedRow & { former: Former }

type Table = keyof typeof MISSING_PLACE

// The bytes of floor plans would bloat the audit log and slow down every read of a location.
const AUDITED = {
  buildings: 'to_jsonb(buildings)',
  locations: `jsonb_build_object(
    'id', locations.id, 'building_id', locations.building_id, 'name', locations.name, 'code', locations.code,
    'floor_plan_type', locations.floor_plan_type, 'floor_plan_bytes', octet_length(locations.floor_plan),
    'floor_plan_width', locations.floor_plan_width, 'floor_plan_height', locations.floor_plan_height,
    'rules', locations.rules)`,
  bookables: 'to_jsonb(bookables)',
}

export const auditedRow = (table: Table) => `${table}.id, ${AUDITED[table]} AS row`

/** Locks a row against other writes, but not against rows that refer to it. Ignores deleted bookables. */
export function lockRow(trx: Transaction, table: Table, id: number): Promise<LockedRow> {
  return lock(trx, table, id, 'FOR NO KEY UPDATE')
}

/** The same for a caller that may be limited to buildings. */
export async function lockRowWithin(
  trx: Transaction,
  context: WriteContext,
  table: Table,
  id: number,
): Promise<LockedRow> {
  const row = await lockRow(trx, table, id)
  await requireWithin(trx, context, table, id, MISSING_PLACE[table])
  return row
}

/** Locks a row against new rows that refer to it as well. */
export function lockRowToDelete(trx: Transaction, table: Table, id: number): Promise<LockedRow> {
  return lock(trx, table, id, 'FOR UPDATE')
}

async function lock(trx: Transaction, table: Table, id: number, strength: string): Promise<LockedRow> {
  const present = table === 'bookables' ? 'AND deleted_at IS NULL' : ''
  const { rows } = await trx.raw(
    `SELECT ${auditedRow(table)} FROM ${table} WHERE id = ? ${present} ${strength}`,
    [id],
  )
  const found: AuditedRow | undefined = rows[0]
  if (!found) throw new Refusal('not_found', MISSING_PLACE[table])
  return { ...found, former: await readFormer(trx, table, [id]) }
}

export async function insertRow(
  trx: Transaction,
  context: WorkContext,
  table: Table,
  fields: Fields,
): Promise<IdReply> {
  const inserted = trx(table)
    .insert(fields)
    .returning(trx.raw(auditedRow(table)))
  const { id, row } = onlyRow<AuditedRow>(await inserted)
  await audit(trx, context, { action: `${table}.create`, id, former: CREATED, after: row })
  return idReply(id)
}

type Changes = { fields: Fields; version?: string | undefined }

/** Locks the row, and refuses input from an outdated form. */
export async function changeRow(
  trx: Transaction,
  context: WorkContext,
  table: 'buildings' | 'locations',
  id: number,
  { fields, version }: Changes,
): Promise<IdReply> {
  const before = await lockRow(trx, table, id)
  await requireVersion(trx, table, id, version)
  await updateRow(trx, context, before, { table, action: `${table}.update`, fields })
  return idReply(id)
}

type Update = { table: Table; action: RecordedAction; fields: Fields }

/** The row is locked already. Undefined fields stay as they are. */
export async function updateRow(
  trx: Transaction,
  context: WorkContext,
  { id, row, former }: LockedRow,
  { table, action, fields }: Update,
): Promise<void> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  let after = row
  if (given.length > 0) {
    const updated = trx(table).where({ id }).update(Object.fromEntries(given))
    after = onlyRow<AuditedRow>(await updated.returning(trx.raw(auditedRow(table)))).row
  }
  await audit(trx, context, { action, id, former, before: row, after })
}

/** The row is locked already. */
export async function deleteRow(
  trx: Transaction,
  context: WorkContext,
  table: Table,
  { id, row, former }: LockedRow,
): Promise<IdReply> {
  await trx(table).where({ id }).delete()
  await audit(trx, context, { action: `${table}.delete`, id, former, before: row })
  return idReply(id)
}

/** The reply of most of these writes: the id of the row. */
type IdReply = { data: { id: number } }

export function idReply(id: number): IdReply {
  return { data: { id } }
}

/** Refuses the request unless all of the requested ids were found. */
export function refuseUnknownIds(ids: number[], found: Array<{ id: number }>, noun: string): void {
  const known = new Set(found.map(({ id }) => id))
  const unknown = [...new Set(ids)].filter((id) => !known.has(id))
  if (unknown.length === 0) return
  throw invalid({ ids: unknown.map((id) => message`There is no ${noun} with the id ${id}.`) })
}
